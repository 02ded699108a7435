import type { Appointment, AppointmentStatus, Entry, Queue } from "./api-types.js";
import type { KeyOptions } from "./seed.js";

/** A key that was created while the mock runs. */
export interface MadeKey {
  readonly id: string;
  /** `svc_live_<id>_<secret>` */
  readonly key: string;
}

/** The acts of the business on its entries. */
export interface EntryMoves {
  /** Calls a waiting person: WAITING to IN_SERVICE. */
  call(entryId: string): Promise<Entry>;
  /** IN_SERVICE to COMPLETED. */
  complete(entryId: string): Promise<Entry>;
  /** WAITING to NO_SHOW. */
  noShow(entryId: string): Promise<Entry>;
  /** Calls the person at today's position 1. */
  next(queueId: string): Promise<Entry>;
}

/** The acts of the business on its queues. */
export interface QueueSwitches {
  /** No new tokens: a creation is refused with `queue_paused`. */
  pause(queueId: string): Promise<Queue>;
  resume(queueId: string): Promise<Queue>;
  open(queueId: string): Promise<Queue>;
  /** Not active: a creation is refused with `queue_unavailable`. */
  close(queueId: string): Promise<Queue>;
}

/** Settings of a whole business. `slug` names it if the seed has several. */
export interface BusinessSwitches {
  /** Switches API access on or off. When off, calls are refused with `api_access_disabled`. */
  access(on: boolean, slug?: string): Promise<void>;
  /** Sets how many tokens may be created on one business day; null for no limit. */
  dailyTokenLimit(limit: number | null, slug?: string): Promise<void>;
}

export interface AppointmentSwitches {
  /** Sets the status of an appointment. */
  set(appointmentId: string, status: AppointmentStatus): Promise<Appointment>;
}

export interface Keys {
  /** Creates a key, valid from now on. Without scopes, it may read and write the queue. */
  create(options?: Partial<KeyOptions>, slug?: string): Promise<MadeKey>;
  /** Revokes a key, given as the whole key or its id. Its next request is refused with `unauthorized`. */
  revoke(keyOrId: string): Promise<void>;
}

/**
 * What the owner of a business can do and the API cannot. Each act applies to every request that is sent
 * after it, even if it is not awaited. An act rejects with `OwnerError` if no record has the id, or if the
 * record's state does not allow the act, and with `RangeError` if an argument is out of range.
 */
export interface OwnerSide {
  readonly entries: EntryMoves;
  readonly queues: QueueSwitches;
  readonly businesses: BusinessSwitches;
  readonly appointments: AppointmentSwitches;
  readonly keys: Keys;
}
