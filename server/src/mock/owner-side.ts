import type { Appointment, AppointmentStatus, Entry, Queue } from "@queue-api/contract";
import { appointmentStatuses } from "@queue-api/contract";
import { appointmentAnswer, entryAnswer, queueAnswer } from "../endpoints/shapes.js";
import { setAppointmentStatus } from "../owner/appointment.js";
import { setBusiness } from "../owner/business.js";
import { callNext, type ServingMove, serveEntry } from "../owner/entry.js";
import { createKey, revokeKey } from "../owner/key.js";
import type { KeyOptions } from "../owner/key-options.js";
import { setQueueFlags } from "../owner/queue.js";
import type { Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";
import { checkValue, ofType, oneOf, wholeNumber } from "./check-options.js";

/** A key that was made while the mock runs. */
export interface MadeKey {
  readonly id: string;
  /** `svc_live_<id>_<secret>` */
  readonly key: string;
}

/** What the business does with its entries. */
export interface EntryMoves {
  /** Calls a waiting person in: WAITING to IN_SERVICE. */
  call(entryId: string): Promise<Entry>;
  /** IN_SERVICE to COMPLETED. */
  complete(entryId: string): Promise<Entry>;
  /** WAITING to NO_SHOW. */
  noShow(entryId: string): Promise<Entry>;
  /** Calls the person at position 1 of today. */
  next(queueId: string): Promise<Entry>;
}

/** What the business does with its queues. */
export interface QueueSwitches {
  /** No new tokens: a creation is refused with `queue_paused`. */
  pause(queueId: string): Promise<Queue>;
  resume(queueId: string): Promise<Queue>;
  open(queueId: string): Promise<Queue>;
  /** Not active: a creation is refused with `queue_unavailable`. */
  close(queueId: string): Promise<Queue>;
}

/** What is set for a whole business; `slug` names it where the seed has several. */
export interface BusinessSwitches {
  /** Whether the API may be used at all; if not, calls are refused with `api_access_disabled`. */
  access(on: boolean, slug?: string): Promise<void>;
  /** Tokens that may be created on one business day; null for no limit. */
  dailyTokenLimit(limit: number | null, slug?: string): Promise<void>;
}

export interface AppointmentSwitches {
  /** Puts an appointment into a state. */
  set(appointmentId: string, status: AppointmentStatus): Promise<Appointment>;
}

export interface Keys {
  /** Makes a key, valid from now on. Without scopes it may read and write the queue. */
  create(options?: Partial<KeyOptions>, slug?: string): Promise<MadeKey>;
  /** Revokes a key, given whole or by its id. Its next request is refused with `unauthorized`. */
  revoke(keyOrId: string): Promise<void>;
}

/**
 * What the owner of a business does, which the API itself cannot do. Each act counts for the requests
 * sent after it, also when it is not awaited. Each fails with `OwnerError` for an id that nothing has,
 * and where the state of things does not allow the act; a value that cannot be meant is a RangeError.
 */
export interface OwnerSide {
  readonly entries: EntryMoves;
  readonly queues: QueueSwitches;
  readonly businesses: BusinessSwitches;
  readonly appointments: AppointmentSwitches;
  readonly keys: Keys;
}

/** What the owner's side acts on. */
export interface OwnerSideDeps {
  readonly store: () => Store;
  readonly random: () => Random;
  readonly now: () => number;
  /** The slug of the only business, or the given one. */
  readonly slugOf: (slug?: string) => string;
  /** Is told of each act that has begun. */
  readonly begun: (act: Promise<unknown>) => void;
}

export function ownerSide({ store, random, now, slugOf, begun }: OwnerSideDeps): OwnerSide {
  const act = <Result>(acting: Promise<Result>): Promise<Result> => {
    begun(acting);
    return acting;
  };
  const move = (kind: ServingMove) => (entryId: string) =>
    act(serveEntry(store(), entryId, kind, now()).then(shown));
  const flag = (flags: Parameters<typeof setQueueFlags>[2]) => (queueId: string) =>
    act(setQueueFlags(store(), queueId, flags).then(queueAnswer));

  return {
    entries: {
      call: move("call"),
      complete: move("complete"),
      noShow: move("no-show"),
      next: (queueId) => act(callNext(store(), queueId, now()).then(shown)),
    },
    queues: {
      pause: flag({ isTokenCreationPaused: true }),
      resume: flag({ isTokenCreationPaused: false }),
      open: flag({ isActive: true }),
      close: flag({ isActive: false }),
    },
    businesses: {
      access(on, slug) {
        checkValue("access", on, ofType("boolean"));
        return act(setBusiness(store(), slugOf(slug), { apiAccess: on }).then(nothing));
      },
      dailyTokenLimit(limit, slug) {
        if (limit !== null) checkValue("dailyTokenLimit", limit, wholeNumber(0));
        return act(setBusiness(store(), slugOf(slug), { dailyTokenLimit: limit }).then(nothing));
      },
    },
    appointments: {
      set(id, status) {
        checkValue("status", status, oneOf(appointmentStatuses));
        return act(setAppointmentStatus(store(), id, status).then(appointmentAnswer));
      },
    },
    keys: {
      create: (options = {}, slug) => act(makeKey(options, slugOf(slug))),
      revoke: (keyOrId) => act(revokeKey(store(), keyIdOf(keyOrId), now()).then(nothing)),
    },
  };

  async function makeKey(options: Partial<KeyOptions>, slug: string): Promise<MadeKey> {
    const whole: KeyOptions = {
      name: "Made in a test",
      scopes: ["queue:read", "queue:write"],
      ...options,
    };
    const { record, key } = await createKey(store(), slug, whole, { now: now(), random: random() });
    return { id: record.id, key };
  }
}

const nothing = () => undefined;

/** Nobody who was called waits in a line any more. */
function shown(entry: Parameters<typeof entryAnswer>[0]["entry"]): Entry {
  return entryAnswer({ entry, line: null });
}

function keyIdOf(keyOrId: string): string {
  return /^svc_live_([a-zA-Z0-9]+)_/.exec(keyOrId)?.[1] ?? keyOrId;
}
