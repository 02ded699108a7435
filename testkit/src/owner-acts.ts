import { appointmentStatuses } from "@queue-api/contract";
import {
  appointmentAnswer,
  callNext,
  createKey,
  entryAnswer,
  queueAnswer,
  type Random,
  revokeKey,
  type ServingMove,
  type Store,
  serveEntry,
  setAppointmentStatus,
  setBusiness,
  setQueueFlags,
} from "../../server/src/in-process.js";
import type { Entry } from "./api-types.js";
import { checkValue, ofType, oneOf, wholeNumber } from "./check-options.js";
import { unlimited } from "./key-limits.js";
import type { MadeKey, OwnerSide } from "./owner-side.js";
import type { KeyOptions } from "./seed.js";

/** The dependencies of the owner's side. */
export interface OwnerSideDeps {
  readonly store: () => Store;
  readonly random: () => Random;
  readonly now: () => number;
  /** The slug of the only business, or the given one. */
  readonly slugOf: (slug?: string) => string;
  /** Settles once the seed is in the store. */
  readonly ready: () => Promise<unknown>;
  /** Called with each started act. */
  readonly begun: (act: Promise<unknown>) => void;
}

export function ownerSide({ store, random, now, slugOf, ready, begun }: OwnerSideDeps): OwnerSide {
  const act = <Result>(start: (at: number) => Promise<Result>): Promise<Result> => {
    const at = now();
    const acting = ready().then(() => start(at));
    begun(acting);
    return acting;
  };
  const move = (kind: ServingMove) => (entryId: string) =>
    act((at) => serveEntry(store(), entryId, kind, at).then(shown));
  const flag = (flags: Parameters<typeof setQueueFlags>[2]) => (queueId: string) =>
    act(() => setQueueFlags(store(), queueId, flags).then(queueAnswer));

  return {
    entries: {
      call: move("call"),
      complete: move("complete"),
      noShow: move("no-show"),
      next: (queueId) => act((at) => callNext(store(), queueId, at).then(shown)),
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
        const business = slugOf(slug);
        return act(() => setBusiness(store(), business, { apiAccess: on }).then(nothing));
      },
      dailyTokenLimit(limit, slug) {
        if (limit !== null) checkValue("dailyTokenLimit", limit, wholeNumber(0));
        const business = slugOf(slug);
        const change = { dailyTokenLimit: limit };
        return act(() => setBusiness(store(), business, change).then(nothing));
      },
    },
    appointments: {
      set(id, status) {
        checkValue("status", status, oneOf(appointmentStatuses));
        return act(() => setAppointmentStatus(store(), id, status).then(appointmentAnswer));
      },
    },
    keys: {
      create(options = {}, slug) {
        const business = slugOf(slug);
        return act((at) => makeKey(options, business, at));
      },
      revoke(keyOrId) {
        const keyId = /^svc_live_([a-zA-Z0-9]+)_/.exec(keyOrId)?.[1] ?? keyOrId;
        return act((at) => revokeKey(store(), keyId, at).then(nothing));
      },
    },
  };

  async function makeKey(options: Partial<KeyOptions>, slug: string, at: number): Promise<MadeKey> {
    const whole: KeyOptions = {
      ...unlimited,
      name: "Made in a test",
      scopes: ["queue:read", "queue:write"],
      ...options,
    };
    const { scopes, allowIps = [] } = whole;
    const input = { ...whole, scopes: [...scopes], allowIps: [...allowIps] };
    const { record, key } = await createKey(store(), slug, input, { now: at, random: random() });
    return { id: record.id, key };
  }
}

const nothing = () => undefined;

/** The answer for an entry after an act. A called entry has no position. */
function shown(entry: Parameters<typeof entryAnswer>[0]["entry"]): Entry {
  return entryAnswer({ entry, line: null });
}
