import { callNext, serveEntry } from "../owner/entry.js";
import type { ServingTransition } from "../owner/owner-error.js";
import type { Entry } from "../rules/records.js";
import { entryResource } from "../rules/resources.js";
import { tokenLabel } from "../rules/token.js";
import type { QueueApiCommand } from "./command.js";
import { printer } from "./output.js";

const transitions: Readonly<Record<ServingTransition, string>> = {
  call: "call a waiting person: WAITING becomes IN_SERVICE",
  complete: "finish serving a person: IN_SERVICE becomes COMPLETED",
  "no-show": "mark a person who did not come: WAITING or IN_SERVICE becomes NO_SHOW",
  requeue: "put a person back in the line, in the same place: IN_SERVICE becomes WAITING",
  undo: "undo the last call, completion, cancellation, no-show or transfer of a person",
};

/** `queue-api entry next | call | complete | no-show | requeue | undo` */
export function addEntryCommands(program: QueueApiCommand): void {
  const entry = program.command("entry").description("serve people");

  entry
    .command("next")
    .description("call the person at position 1 of today")
    .argument("<queue-id>", "id of the queue")
    .examples("queue-api entry next QUEUE_ID")
    .shows(entries, ({ store, now }, queueId: string) => callNext(store, queueId, now));

  for (const [transition, description] of Object.entries(transitions)) {
    entry
      .command(transition)
      .description(description)
      .argument("<entry-id>", "id of the entry")
      .examples(`queue-api entry ${transition} ENTRY_ID`)
      .shows(entries, ({ store, now }, entryId: string) =>
        serveEntry(store, entryId, transition as ServingTransition, now),
      );
  }
}

const entries = printer<Entry>({
  shape: `{ id, queueId, date, token, tokenSeries, tokenNumber, status, priority, serviceId,
  customer: { name, phone }, issuedAt, startedAt, completedAt, canceledAt }`,
  json: (entry) => {
    const { predictedWaitMinutes: _, ...fields } = entryResource({ entry, line: null });
    return { queueId: entry.queueId, date: entry.date, ...fields };
  },
  columns: {
    TOKEN: tokenLabel,
    STATUS: ({ status }) => status,
    NAME: ({ customerName }) => customerName,
    PHONE: ({ customerPhone }) => customerPhone,
    ENTRY: ({ id }) => id,
  },
});
