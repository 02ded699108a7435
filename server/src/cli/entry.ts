import { callNext, serveEntry } from "../owner/entry.js";
import type { ServingMove } from "../owner/owner-error.js";
import type { Entry } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import { type Output, table, timestamp } from "./output.js";
import { runOwner } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";

const shape = `{ id, queueId, date, token, tokenSeries, tokenNumber, status, priority, serviceId,
  customer: { name, phone }, issuedAt, startedAt, completedAt, canceledAt }`;

const moves: readonly { readonly name: ServingMove; readonly description: string }[] = [
  { name: "call", description: "call a waiting person: WAITING becomes IN_SERVICE" },
  { name: "complete", description: "finish serving a person: IN_SERVICE becomes COMPLETED" },
  {
    name: "no-show",
    description: "mark a person who did not come: WAITING or IN_SERVICE becomes NO_SHOW",
  },
  {
    name: "requeue",
    description: "put a person back in the line, in the same place: IN_SERVICE becomes WAITING",
  },
  {
    name: "undo",
    description: "take back the last call, completion, cancellation or no-show of a person",
  },
];

/** `queue-api entry next | call | complete | no-show | requeue | undo` */
export function addEntryCommands(program: QueueApiCommand): void {
  const entry = program.command("entry").description("serve people");

  entry
    .command("next")
    .description("call the person at position 1 of today")
    .argument("<queue-id>", "id of the queue")
    .manual({ examples: ["queue-api entry next QUEUE_ID"], json: shape })
    .action((queueId: string, _options, command) =>
      runOwner(command, async ({ store, now }) => one(await callNext(store, queueId, now))),
    );

  for (const { name, description } of moves) {
    entry
      .command(name)
      .description(description)
      .argument("<entry-id>", "id of the entry")
      .manual({ examples: [`queue-api entry ${name} ENTRY_ID`], json: shape })
      .action((entryId: string, _options, command) =>
        runOwner(command, async ({ store, now }) =>
          one(await serveEntry(store, entryId, name, now)),
        ),
      );
  }
}

function one(entry: Entry): Output {
  const token = tokenLabel(entry);
  const json = {
    id: entry.id,
    queueId: entry.queueId,
    date: entry.date,
    token,
    tokenSeries: entry.tokenSeries,
    tokenNumber: entry.tokenNumber,
    status: entry.status,
    priority: entry.priority,
    serviceId: entry.serviceId,
    customer: { name: entry.customerName, phone: entry.customerPhone },
    issuedAt: timestamp(entry.issuedAt),
    startedAt: timestamp(entry.startedAt),
    completedAt: timestamp(entry.completedAt),
    canceledAt: timestamp(entry.canceledAt),
  };
  const text = table(
    ["TOKEN", "STATUS", "NAME", "PHONE", "ENTRY"],
    [[token, entry.status, entry.customerName, entry.customerPhone, entry.id]],
  );
  return { json, text };
}
