import { listQueues, type QueueToday, setQueueFlags } from "../owner/queue.js";
import type { Queue } from "../rules/records.js";
import { type Cell, type Output, table, tableOr } from "./output.js";
import { runOwner } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";

const fields = "id, name, tokenSeries, isActive, isTokenCreationPaused";

const settings = [
  {
    name: "pause",
    flags: { isTokenCreationPaused: true },
    description: "take no new tokens for now",
  },
  { name: "resume", flags: { isTokenCreationPaused: false }, description: "take new tokens again" },
  { name: "open", flags: { isActive: true }, description: "make a queue active" },
  { name: "close", flags: { isActive: false }, description: "make a queue inactive" },
] as const;

/** `queue-api queue list | pause | resume | open | close` */
export function addQueueCommands(program: QueueApiCommand): void {
  const queue = program.command("queue").description("list queues; pause, resume, open, close one");

  queue
    .command("list")
    .description("list the queues of a business with today's entries by state")
    .requiredOption("--business <slug>", "slug of the business")
    .manual({
      examples: ["queue-api queue list --business sunrise"],
      json: `[{ ${fields}, date,
   counts: { waiting, inService, completed, canceled, noShow } }]`,
    })
    .action(({ business }: { business: string }, command) =>
      runOwner(command, async ({ store, now }) => list(await listQueues(store, business, now))),
    );

  for (const { name, flags, description } of settings) {
    queue
      .command(name)
      .description(description)
      .argument("<queue-id>", "id of the queue")
      .manual({ examples: [`queue-api queue ${name} QUEUE_ID`], json: `{ ${fields} }` })
      .action((queueId: string, _options, command) =>
        runOwner(command, async ({ store }) => one(await setQueueFlags(store, queueId, flags))),
      );
  }
}

/** A queue as `--json` prints it. */
export function queueView({ businessId: _, ...queue }: Queue) {
  return queue;
}

export const queueHeadings = ["QUEUE", "NAME", "SERIES", "STATE"];

/** The cells under {@link queueHeadings}. */
export function queueRow(queue: Queue): Cell[] {
  const open = queue.isTokenCreationPaused ? "paused" : "open";
  return [queue.id, queue.name, queue.tokenSeries, queue.isActive ? open : "closed"];
}

function one(queue: Queue): Output {
  return { json: queueView(queue), text: table(queueHeadings, [queueRow(queue)]) };
}

function list(queues: readonly QueueToday[]): Output {
  const json = queues.map(({ queue, date, counts }) => ({
    ...queueView(queue),
    date,
    counts: {
      waiting: counts.WAITING,
      inService: counts.IN_SERVICE,
      completed: counts.COMPLETED,
      canceled: counts.CANCELED,
      noShow: counts.NO_SHOW,
    },
  }));
  const text = tableOr(
    "No queues.",
    [...queueHeadings, "WAITING", "IN SERVICE", "COMPLETED", "CANCELED", "NO-SHOW"],
    queues.map(({ queue, counts }) => [
      ...queueRow(queue),
      counts.WAITING,
      counts.IN_SERVICE,
      counts.COMPLETED,
      counts.CANCELED,
      counts.NO_SHOW,
    ]),
  );
  return { json, text };
}
