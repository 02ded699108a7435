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
  /** Called with each started act. */
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
      ...unlimited,
      name: "Made in a test",
      scopes: ["queue:read", "queue:write"],
      ...options,
    };
    const { scopes, allowIps = [] } = whole;
    const input = { ...whole, scopes: [...scopes], allowIps: [...allowIps] };
    const { record, key } = await createKey(store(), slug, input, { now: now(), random: random() });
    return { id: record.id, key };
  }
}

const nothing = () => undefined;

/** The answer for an entry after an act. A called entry has no position. */
function shown(entry: Parameters<typeof entryAnswer>[0]["entry"]): Entry {
  return entryAnswer({ entry, line: null });
}

function keyIdOf(keyOrId: string): string {
  return /^svc_live_([a-zA-Z0-9]+)_/.exec(keyOrId)?.[1] ?? keyOrId;
}
