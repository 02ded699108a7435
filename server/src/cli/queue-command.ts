import { findBusiness } from "../owner/business.js";
import { setQueueFlags } from "../owner/queue.js";
import { businessDay } from "../rules/business-day.js";
import type { StatusCounts } from "../rules/day-counts.js";
import type { Queue } from "../rules/records.js";
import { countsResource } from "../rules/resources.js";
import type { CommandContext, QueueApiCommand } from "./command.js";
import { printer } from "./output.js";

const settings = [
  ["pause", { isTokenCreationPaused: true }, "take no new tokens for now"],
  ["resume", { isTokenCreationPaused: false }, "take new tokens again"],
  ["open", { isActive: true }, "make a queue active"],
  ["close", { isActive: false }, "make a queue inactive"],
] as const;

/** `queue-api queue list | pause | resume | open | close` */
export function addQueueCommands(program: QueueApiCommand): void {
  const queue = program.command("queue").description("list queues; pause, resume, open, close one");

  queue
    .command("list")
    .description("list the queues of a business with today's entries by status")
    .requiredOption("--business <slug>", "slug of the business")
    .examples("queue-api queue list --business sunrise")
    .lists(queuesToday, listQueues);

  for (const [name, flags, description] of settings) {
    queue
      .command(name)
      .description(description)
      .argument("<queue-id>", "id of the queue")
      .examples(`queue-api queue ${name} QUEUE_ID`)
      .shows(queuePrinter, ({ store }, queueId: string) => setQueueFlags(store, queueId, flags));
  }
}

/** A queue and the number of today's entries in each status. */
interface QueueToday extends Queue {
  /** Today in the business's time zone. */
  readonly date: string;
  readonly counts: StatusCounts;
}

async function listQueues(
  { store, now }: CommandContext,
  { business: slug }: { readonly business: string },
): Promise<QueueToday[]> {
  const business = await findBusiness(store, slug);
  const date = businessDay(now, business.timezone);
  const queues = await store.queues.list(business.id);
  const days = await Promise.all(queues.map(({ id }) => store.queues.day(business.id, id, date)));
  return days.flatMap((day) => (day ? [{ ...day.queue, date, counts: day.counts }] : []));
}

const fields = "id, name, tokenSeries, isActive, isTokenCreationPaused";

const columns = {
  QUEUE: ({ id }: Queue) => id,
  NAME: ({ name }: Queue) => name,
  SERIES: ({ tokenSeries }: Queue) => tokenSeries,
  STATE({ isActive, isTokenCreationPaused }: Queue) {
    if (!isActive) return "closed";
    return isTokenCreationPaused ? "paused" : "open";
  },
};

/** Prints queues without the counts of a day. */
export const queuePrinter = printer<Queue>({
  shape: `{ ${fields} }`,
  json: ({ businessId, revision, ...queue }) => queue,
  columns,
  none: "No queues.",
});

const queuesToday = printer<QueueToday>({
  shape: `{ ${fields}, date,
   counts: { waiting, inService, completed, canceled, noShow } }`,
  json: ({ businessId, revision, counts, ...queue }) => ({
    ...queue,
    counts: countsResource(counts),
  }),
  columns: {
    ...columns,
    WAITING: ({ counts }) => counts.WAITING,
    "IN SERVICE": ({ counts }) => counts.IN_SERVICE,
    COMPLETED: ({ counts }) => counts.COMPLETED,
    CANCELED: ({ counts }) => counts.CANCELED,
    "NO-SHOW": ({ counts }) => counts.NO_SHOW,
  },
  none: "No queues.",
});
