import type { ApiPromise } from "../api-promise.js";
import { checkArguments } from "../arguments.js";
import type {
  CreateEntryRequest,
  Entry,
  EntryWithPosition,
  Operations,
} from "../generated/types.js";
import type { CallOptions, CreateOptions } from "../options.js";
import type { Iteration, Pages } from "../page.js";
import { isObject } from "../problem.js";
import type { Sender } from "../sender.js";
import { type EntryChange, type WatchOptions, watchChanges, watchOptionNames } from "../watch.js";

/** Which entries to list, and how many on a page. */
export type EntriesQuery = Operations["listEntries"]["query"];

/** Which entries to watch. */
export type WatchQuery = Pick<EntriesQuery, "status" | "date">;

/** What a new token is made of. */
export interface NewEntry extends Omit<CreateEntryRequest, "serviceId"> {
  /** What the customer comes for: an active service of the business. Null, as answers have it, means none. */
  serviceId?: string | null | undefined;
}

/** Queue tokens. Reading needs the scope `queue:read`; creating and canceling need `queue:write`. */
export class Entries {
  readonly #api: Sender;

  /** @internal */
  constructor(api: Sender) {
    this.#api = api;
  }

  /**
   * The entries of one queue and day in token order: today in the business's time zone, unless `date`
   * says otherwise. Without a `date`, each page is of the day on which it is asked for: a list that is
   * read across midnight fails at its next page with an `InvalidRequestError` that names `cursor`.
   *
   * @throws {NotFoundError} The business has no such queue.
   * @example
   * for await (const entry of api.entries.list(queueId, { status: "WAITING" })) {
   *   console.log(entry.token, entry.customer.name);
   * }
   */
  list(queueId: string, query?: EntriesQuery, options?: CallOptions): Pages<Entry> {
    return this.#api.pages("listEntries", { params: { queueId }, query }, options);
  }

  /**
   * Creates a token at the end of the line. However often the request has to be sent, one token is
   * created. Nobody is sent a message.
   *
   * @throws {ConflictError} The queue is paused (`queue_paused`) or closed (`queue_unavailable`).
   * @throws {PermissionError} The business's plan allows no more tokens today (`plan_limit_reached`).
   * @throws {IdempotencyKeyReuseError} The idempotency key was used for a different creation.
   * @example
   * const entry = await api.entries.create(queueId, { name: "Customer 1", phone: "+91 98000 00001" });
   * console.log(entry.token, entry.position);
   * @example
   * const options = { idempotencyKey: { from: message.id } }; // one token for each message
   * const { data, replayed } = await api.entries.create(queueId, person, options).withResponse();
   */
  create(
    queueId: string,
    person: NewEntry,
    options?: CreateOptions,
  ): ApiPromise<EntryWithPosition> {
    const body = withoutNull(person) as CreateEntryRequest;
    return this.#api.send("createEntry", { params: { queueId }, body }, options);
  }

  /**
   * An entry with its live position.
   *
   * @throws {NotFoundError} The business has no such entry.
   * @example
   * const { status, position, predictedWaitMinutes } = await api.entries.get(entryId);
   */
  get(entryId: string, options?: CallOptions): ApiPromise<EntryWithPosition> {
    return this.#api.send("getEntry", { params: { entryId } }, options);
  }

  /**
   * Cancels an entry that is waiting. When the answer is lost, the entry is read: canceled by then is a
   * success.
   *
   * @throws {ConflictError} The entry is not waiting any more (`invalid_state`).
   * @throws {NotFoundError} The business has no such entry.
   * @example
   * const { canceledAt } = await api.entries.cancel(entryId);
   */
  cancel(entryId: string, options?: CallOptions): ApiPromise<Entry> {
    return this.#api.send("cancelEntry", { params: { entryId } }, options);
  }

  /**
   * Reports what changes on a queue, by polling: every 5 seconds, and up to every 30 while nothing
   * changes. A poll that fails is made up for by the next one; so is one in which the day ends. Ends when `options.signal` is aborted.
   *
   * @throws {ApiError} The service refuses to list the queue: the key or the queue is wrong.
   * @example
   * for await (const { type, entry } of api.entries.watch(queueId, { status: "WAITING" })) {
   *   console.log(type, entry.token);
   * }
   */
  watch(
    queueId: string,
    query?: WatchQuery,
    options: CallOptions & WatchOptions = {},
  ): Iteration<EntryChange> {
    return watchChanges({
      check: () =>
        checkArguments({ params: { queueId }, query }, options, watchOptionNames, {
          name: "entries.watch",
          operation: "listEntries",
        }),
      read: (signal) => {
        const { intervalMs, maxIntervalMs, onPollError, ...ofCalls } = options;
        return this.list(queueId, { ...query, limit: 100 }, { ...ofCalls, signal }).all();
      },
      options,
    });
  }
}

/** What was handed in, whatever it is, without a service that is null. */
function withoutNull(person: unknown): unknown {
  if (!isObject(person) || person.serviceId !== null) return person;
  const { serviceId, ...rest } = person;
  return rest;
}
