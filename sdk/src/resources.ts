import type { ApiPromise } from "./api-promise.js";
import type { ApiSender } from "./api-sender.js";
import type {
  Appointment,
  AppointmentsQuery,
  CreateEntryRequest,
  EntriesQuery,
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  QueueQuery,
  QueueSummary,
  Service,
} from "./generated/types.js";
import type { CallOptions, CreateOptions, WatchOptions } from "./options.js";
import type { Iteration, Pages } from "./pagination.js";
import { type EntryChange, watchChanges } from "./watch.js";

/** The key in use and the business it belongs to. */
export class MeResource {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * The key, its business and its limits. Works with any valid key, regardless of its scopes.
   *
   * @example
   * const { business, limits } = await api.me.get();
   */
  get(options?: CallOptions): ApiPromise<Me> {
    return this.api.send("me.get", {}, options);
  }
}

/** The services that the business offers. Needs the scope `queue:read`. */
export class Services {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * All active services.
   *
   * @example
   * const services = await api.services.list();
   * const consultation = services.find((service) => service.name === "Consultation");
   */
  list(options?: CallOptions): ApiPromise<Service[]> {
    return this.api.send("services.list", {}, options);
  }
}

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

/** Which entries to watch. */
export type WatchQuery = Pick<EntriesQuery, "status" | "date">;

/** The fields of a new token. */
export interface NewEntry extends Omit<CreateEntryRequest, "serviceId"> {
  /** The requested service: an active service of the business. Null, as in responses, means none. */
  serviceId?: string | null | undefined;
}

/** Queue tokens. Reading needs the scope `queue:read`; creating and canceling need `queue:write`. */
export class Entries {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * The entries of one queue and day in token order. `date` defaults to today in the business's time zone. A
   * list that is read across midnight goes on with the day of its first page.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {NotFoundError} The business has no such queue.
   * @example
   * for await (const entry of api.entries.list(queueId, { status: "WAITING" })) {
   *   console.log(entry.token, entry.customer.name);
   * }
   */
  list(queueId: string, query?: EntriesQuery, options?: CallOptions): Pages<Entry> {
    return this.api.pages("entries.list", { params: { queueId }, query }, options);
  }

  /**
   * Creates a token at the end of the line. However often the request has to be sent, it creates one token.
   * The customer gets no message.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {NotFoundError} The business has no such queue.
   * @throws {ConflictError} The queue is paused (`queue_paused`) or closed (`queue_unavailable`).
   * @throws {PermissionError} The business's plan allows no more tokens today (`plan_limit_reached`).
   * @throws {RequestInProgressError} A creation with the same idempotency key was still running after all retries.
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
    return this.api.send("entries.create", { params: { queueId }, body: person }, options);
  }

  /**
   * An entry with its live position.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {NotFoundError} The business has no such entry.
   * @example
   * const { status, position, predictedWaitMinutes } = await api.entries.get(entryId);
   */
  get(entryId: string, options?: CallOptions): ApiPromise<EntryWithPosition> {
    return this.api.send("entries.get", { params: { entryId } }, options);
  }

  /**
   * Cancels a waiting entry. If the response is lost, the call reads the entry, which needs `queue:read`, and
   * succeeds if it is canceled.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {ConflictError} The entry is no longer waiting (`invalid_state`).
   * @throws {NotFoundError} The business has no such entry.
   * @example
   * const { canceledAt } = await api.entries.cancel(entryId);
   */
  cancel(entryId: string, options?: CallOptions): ApiPromise<Entry> {
    return this.api.send("entries.cancel", { params: { entryId } }, options);
  }

  /**
   * Reports the entries of a queue and then its changes, by polling. The interval is 5 seconds, and grows to 30 while
   * nothing changes. A poll reads the whole list, and costs one request for each 100 entries; the interval is
   * multiplied by that number, so that a watch sends at most 12 requests a minute. Watch a `status`, such as `WAITING`,
   * to poll less. If a poll fails, the next poll reports the missed changes, no earlier than `Retry-After` allows. Ends
   * when `options.signal` is aborted.
   *
   * Without a `date`, the watch goes on with the new day at midnight in the business's time zone: the entries of the
   * day before are `removed`, and those of the new day are `added`. A person who is transferred to another queue is `removed`
   * from the watch of one queue and `added` to that of the other, in either order.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {ApiError} The service refuses to list the queue: the key or the queue is wrong.
   * @throws {UnexpectedResponseError} The address redirects.
   * @example
   * for await (const change of api.entries.watch(queueId, { status: "WAITING" })) {
   *   if (change.type !== "loaded") console.log(change.type, change.entry.token);
   * }
   */
  watch(
    queueId: string,
    query?: WatchQuery,
    options: CallOptions & WatchOptions = {},
  ): Iteration<EntryChange> {
    const given = options ?? {}; // null is refused
    const asked = { ...query };
    const { intervalMs, maxIntervalMs, onPollError, ...ofCalls } = given;
    return watchChanges(
      (signal) => this.list(queueId, { ...asked, limit: 100 }, { ...ofCalls, signal }).pages(),
      given,
      () => this.api.checkWatch({ params: { queueId }, query }, options),
    );
  }
}

/** The business's appointments, read only. Needs the scope `appointments:read`. */
export class Appointments {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * The appointments of one day by slot time. `date` defaults to today in the business's time zone. A list that
   * is read across midnight goes on with the day of its first page.
   *
   * @example
   * for await (const appointment of api.appointments.list({ date: "2026-11-21" })) {
   *   console.log(appointment.slotTime, appointment.status);
   * }
   */
  list(query?: AppointmentsQuery, options?: CallOptions): Pages<Appointment> {
    return this.api.pages("appointments.list", { query }, options);
  }

  /**
   * One appointment.
   *
   * @throws {InvalidRequestError} An argument is wrong, such as an id of the wrong form.
   * @throws {NotFoundError} The business has no such appointment.
   * @example
   * const { slotTime, customer } = await api.appointments.get(appointmentId);
   */
  get(appointmentId: string, options?: CallOptions): ApiPromise<Appointment> {
    return this.api.send("appointments.get", { params: { appointmentId } }, options);
  }
}
