import { listQueues, type QueueToday, setQueueFlags } from "../owner/queue.js";
import type { Queue } from "../rules/records.js";
import { type Cell, printer } from "./output.js";
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
    .does(async ({ store, now }, { business }: { business: string }) =>
      today.list(await listQueues(store, business, now)),
    );

  for (const { name, flags, description } of settings) {
    queue
      .command(name)
      .description(description)
      .argument("<queue-id>", "id of the queue")
      .manual({ examples: [`queue-api queue ${name} QUEUE_ID`], json: `{ ${fields} }` })
      .does(async ({ store }, queueId: string) =>
        queuePrinter.one(await setQueueFlags(store, queueId, flags)),
      );
  }
}

const queueColumns: Readonly<Record<string, (queue: Queue) => Cell>> = {
  QUEUE: ({ id }) => id,
  NAME: ({ name }) => name,
  SERIES: ({ tokenSeries }) => tokenSeries,
  STATE: ({ isActive, isTokenCreationPaused }) =>
    isActive ? (isTokenCreationPaused ? "paused" : "open") : "closed",
};

/** Prints queues without the counts of a day. */
export const queuePrinter = printer<Queue>({
  json: ({ businessId: _, ...queue }) => queue,
  columns: queueColumns,
  none: "No queues.",
});

const counts = {
  waiting: "WAITING",
  inService: "IN_SERVICE",
  completed: "COMPLETED",
  canceled: "CANCELED",
  noShow: "NO_SHOW",
} as const;

const today = printer<QueueToday>({
  json: ({ queue: { businessId: _, ...queue }, date, counts: by }) => ({
    ...queue,
    date,
    counts: Object.fromEntries(Object.entries(counts).map(([name, status]) => [name, by[status]])),
  }),
  columns: {
    ...Object.fromEntries(
      Object.entries(queueColumns).map(([heading, cell]) => [
        heading,
        ({ queue }: QueueToday) => cell(queue),
      ]),
    ),
    WAITING: (one) => one.counts.WAITING,
    "IN SERVICE": (one) => one.counts.IN_SERVICE,
    COMPLETED: (one) => one.counts.COMPLETED,
    CANCELED: (one) => one.counts.CANCELED,
    "NO-SHOW": (one) => one.counts.NO_SHOW,
  },
  none: "No queues.",
});
