import { callNext, serveEntry } from "../owner/entry.js";
import type { ServingMove } from "../owner/owner-error.js";
import type { Entry } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import { printer, timestamp } from "./output.js";
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
    .does(async ({ store, now }, queueId: string) =>
      entries.one(await callNext(store, queueId, now)),
    );

  for (const { name, description } of moves) {
    entry
      .command(name)
      .description(description)
      .argument("<entry-id>", "id of the entry")
      .manual({ examples: [`queue-api entry ${name} ENTRY_ID`], json: shape })
      .does(async ({ store, now }, entryId: string) =>
        entries.one(await serveEntry(store, entryId, name, now)),
      );
  }
}

const entries = printer<Entry>({
  json: (entry) => {
    const { id, queueId, date, tokenSeries, tokenNumber, status, priority, serviceId } = entry;
    return {
      ...{ id, queueId, date, token: tokenLabel(entry), tokenSeries, tokenNumber, status },
      ...{ priority, serviceId },
      customer: { name: entry.customerName, phone: entry.customerPhone },
      issuedAt: timestamp(entry.issuedAt),
      startedAt: timestamp(entry.startedAt),
      completedAt: timestamp(entry.completedAt),
      canceledAt: timestamp(entry.canceledAt),
    };
  },
  columns: {
    TOKEN: tokenLabel,
    STATUS: ({ status }) => status,
    NAME: ({ customerName }) => customerName,
    PHONE: ({ customerPhone }) => customerPhone,
    ENTRY: ({ id }) => id,
  },
});
