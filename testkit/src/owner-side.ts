import type { Appointment, AppointmentStatus, Entry, Queue } from "./api.js";
import type { KeyOptions, Known } from "./seed.js";

/** A key that was created while the mock runs. */
export interface MadeKey {
  readonly id: string;
  /** `svc_live_<id>_<secret>` */
  readonly key: string;
}

/**
 * What the owner of a business can do and the API cannot. The acts happen in the order of their calls, and each applies
 * to every request that is sent after it, even if it is not awaited. An act rejects with {@link OwnerError} if no record
 * has the id, or if the record's state does not allow the act. It throws RangeError if an argument is wrong. `slug` names
 * the business if the seed has several.
 */
export interface OwnerSide {
  readonly entries: {
    /** Calls a waiting person: WAITING to IN_SERVICE. */
    call(entryId: string): Promise<Entry>;
    /** IN_SERVICE to COMPLETED. */
    complete(entryId: string): Promise<Entry>;
    /** WAITING or IN_SERVICE to NO_SHOW. */
    noShow(entryId: string): Promise<Entry>;
    /** Calls the person at today's position 1. */
    next(queueId: string): Promise<Entry>;
    /** Puts a person back in the line, in the same place: IN_SERVICE to WAITING. */
    requeue(entryId: string): Promise<Entry>;
    /** Takes back the last call, completion, cancellation, no-show or transfer to another queue. */
    undo(entryId: string): Promise<Entry>;
    /** Transfers a person to another queue. The entry keeps its id, waits there, and gets that queue's next token. */
    transfer(entryId: string, queueId: string): Promise<Entry>;
  };
  readonly queues: {
    /** No new tokens: a creation is refused with `queue_paused`. */
    pause(queueId: string): Promise<Queue>;
    resume(queueId: string): Promise<Queue>;
    open(queueId: string): Promise<Queue>;
    /** Not active: a creation is refused with `queue_unavailable`. */
    close(queueId: string): Promise<Queue>;
  };
  readonly businesses: {
    /** Switches API access on or off. When off, calls are refused with `api_access_disabled`. */
    access(on: boolean, slug?: string): Promise<void>;
    /** Sets how many tokens may be created on one business day; null for no limit. */
    dailyTokenLimit(limit: number | null, slug?: string): Promise<void>;
  };
  readonly appointments: {
    /** Sets the status of an appointment. */
    set(appointmentId: string, status: Known<AppointmentStatus>): Promise<Appointment>;
  };
  readonly keys: {
    /** Creates a key, valid from now on. Without scopes, it may read and write the queue. */
    create(
      options?: { readonly [Name in keyof KeyOptions]?: KeyOptions[Name] | undefined },
      slug?: string,
    ): Promise<MadeKey>;
    /** Revokes a key, given as the whole key or its id. Its next request is refused with `unauthorized`. */
    revoke(keyOrId: string): Promise<void>;
  };
}
