import { customerName } from "@queue-api/contract";
import { z } from "zod";
import { mostQueues } from "../operations/business-items.js";
import type { Store } from "../operations/store.js";
import { newId } from "../rules/ids.js";
import type { Queue } from "../rules/records.js";
import { businessOf, noSuch } from "./business.js";
import type { CreationContext } from "./creation-context.js";

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

/** Adds a queue to a business, at the end of its list. Null if it has {@link mostQueues}. */
export async function addQueue(
  store: Store,
  businessId: string,
  options: z.output<typeof queueOptions>,
  { now, random, id = newId(now, random) }: CreationContext,
): Promise<Queue | null> {
  const queue = { id, businessId, ...options, revision: 0 };
  const outcome = await store.queues.add(businessId, queue);
  return outcome === "too_many" ? null : queue;
}

/** Pauses, resumes, opens or closes a queue. Throws `OwnerError` if it does not exist. */
export async function setQueueFlags(
  store: Store,
  queueId: string,
  flags: Partial<Pick<Queue, "isActive" | "isTokenCreationPaused">>,
): Promise<Queue> {
  const business = await businessOf(store, "queue", queueId);
  const queue = await store.queues.change(business.id, queueId, flags);
  if (!queue) throw noSuch("queue");
  return queue;
}
