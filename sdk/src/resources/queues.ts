import type { ApiPromise } from "../api-promise.js";
import type { ApiSender } from "../api-sender.js";
import type { Queue, QueueQuery, QueueSummary } from "../generated/types.js";
import type { CallOptions } from "../options.js";

/** The business's queues. Needs the scope `queue:read`. */
export class Queues {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * All queues.
   *
   * @example
   * const queues = await api.queues.list();
   * const open = queues.filter((queue) => queue.isActive && !queue.isTokenCreationPaused);
   */
  list(options?: CallOptions): ApiPromise<Queue[]> {
    return this.api.send("queues.list", {}, options);
  }

  /**
   * A queue with the counts of one day. `date` defaults to today in the business's time zone.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {NotFoundError} The business has no such queue.
   * @example
   * const { counts, averageWaitMinutes } = await api.queues.get(queueId, { date: "2026-11-21" });
   */
  get(queueId: string, query?: QueueQuery, options?: CallOptions): ApiPromise<QueueSummary> {
    return this.api.send("queues.get", { params: { queueId }, query }, options);
  }
}
