import { customerName } from "@queue-api/contract";
import { z } from "zod";
import type { Store } from "../operations/store.js";
import type { Queue } from "../rules/records.js";
import { businessWith, noSuch } from "./business.js";

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

/** Pauses, resumes, opens or closes a queue. Throws `OwnerError` if it does not exist. */
export async function setQueueFlags(
  store: Store,
  queueId: string,
  flags: Partial<Pick<Queue, "isActive" | "isTokenCreationPaused">>,
): Promise<Queue> {
  const business = await businessWith(store, "queue", queueId);
  const queue = await store.queues.change(business.id, queueId, flags);
  if (!queue) throw noSuch("queue");
  return queue;
}
