import { customerName } from "@queue-api/contract";
import { z } from "zod";
import { businessDay } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import type { Queue } from "../rules/records.js";
import type { StatusCounts } from "../store/port/business.js";
import type { Store } from "../store/store.js";
import { findBusiness, noSuch } from "./business.js";
import type { CreationContext } from "./creation-context.js";

/** Far above any real use. The board and each list show all of them, at a cost that others share. */
export const mostQueues = 100;

/** The fields of a queue, on a page and in a seed file. */
export const queueOptions = z.strictObject({
  name: customerName,
  /** Letters in front of the number on each token. */
  tokenSeries: z
    .string()
    .regex(/^[A-Za-z]{1,10}$/, "must be 1 to 10 letters from A to Z")
    .default("A"),
  isActive: z.boolean().default(true),
  isTokenCreationPaused: z.boolean().default(false),
});

/** A queue and the number of today's entries in each status. */
export interface QueueToday {
  readonly queue: Queue;
  /** Today in the business's time zone. */
  readonly date: string;
  readonly counts: StatusCounts;
}

/** The queues of a business with today's counts. Throws `OwnerError` if the business does not exist. */
export async function listQueues(
  store: Store,
  slug: string,
  now: number,
): Promise<readonly QueueToday[]> {
  const business = await findBusiness(store, slug);
  const date = businessDay(now, business.timezone);
  const days = await Promise.all(
    (await store.queues.list(business.id)).map(({ id }) => store.queues.day(business.id, id, date)),
  );
  return days.flatMap((day) => (day ? [{ queue: day.queue, date, counts: day.counts }] : []));
}

/** Adds a queue to a business, at the end of its list. Null if it has {@link mostQueues}. */
export async function addQueue(
  store: Store,
  businessId: string,
  options: z.output<typeof queueOptions>,
  { now, random, id = newId(now, random) }: CreationContext,
): Promise<Queue | null> {
  if ((await store.queues.list(businessId)).length >= mostQueues) return null;
  const queue = { id, businessId, ...options };
  await store.queues.add(businessId, queue);
  return queue;
}

/** Pauses, resumes, opens or closes a queue. Throws `OwnerError` if it does not exist. */
export async function setQueueFlags(
  store: Store,
  queueId: string,
  flags: Partial<Pick<Queue, "isActive" | "isTokenCreationPaused">>,
): Promise<Queue> {
  const businessId = await store.businesses.idOf("queue", queueId);
  const queue = businessId === null ? null : await store.queues.change(businessId, queueId, flags);
  if (!queue) throw noSuch("queue");
  return queue;
}
