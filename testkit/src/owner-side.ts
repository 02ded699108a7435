import { appointmentStatuses } from "@queue-api/contract";
import * as server from "../../server/src/in-process.js";
import type { Appointment, AppointmentStatus, Entry, Queue } from "./api.js";
import { checkValue, isObject, ofType, oneOf, orNull, wholeNumber } from "./check-options.js";
import { unlimited, withDefaults } from "./key-limits.js";
import type { MockedService } from "./mocked-service.js";
import type { KeyOptions, Known, RefKind } from "./seed.js";
import { isRef, onlyBusiness } from "./seed-lookup.js";

/** A key that was created while the mock runs. */
export interface MadeKey {
  readonly id: string;
  /** `svc_live_<id>_<secret>` */
  readonly key: string;
}

/**
 * What the owner of a business can do and the API cannot. The acts happen in the order of their calls, and each applies
 * to every request that is sent after it, even if it is not awaited. An act rejects with {@link OwnerError} if no record
 * has the id, or if the record's state does not allow the act. It throws RangeError if an argument is wrong, such as a ref
 * of the seed in place of an id. `slug` names the business if the seed has several.
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

/** The acts of the owner on the service after the last reset. Each waits for `acts`, the end of those before. @internal */
export function ownerSide(
  service: () => MockedService & { acts: Promise<unknown> },
  now: () => number,
): OwnerSide {
  const slugOf = (slug?: string) => onlyBusiness(service().seeded, slug)[0];
  /** The act is on the service of this moment, also if a reset comes before it starts. */
  const act = <Result>(start: (at: number, of: MockedService) => Promise<Result>) => {
    const [at, of] = [now(), service()];
    const acting = of.acts.then(() => start(at, of));
    of.acts = acting.catch(() => null);
    return acting;
  };
  /** Throws RangeError for a ref of the seed. */
  const checkId = (kind: keyof typeof lookUps, id: string) => {
    if (!isRef(service().seeded, kind, id)) return;
    throw new RangeError(`the id is a ref of the seed: pass ${lookUps[kind]}("${id}")`);
  };
  const transition = (kind: server.ServingTransition) => (entryId: string) => {
    checkId("entries", entryId);
    return act((at, { store }) => server.serveEntry(store, entryId, kind, at).then(shown));
  };
  const flag = (flags: Parameters<typeof server.setQueueFlags>[2]) => (queueId: string) => {
    checkId("queues", queueId);
    return act((_, { store }) => {
      return server.setQueueFlags(store, queueId, flags).then(server.queueResource);
    });
  };

  return {
    entries: {
      call: transition("call"),
      complete: transition("complete"),
      noShow: transition("no-show"),
      next(queueId) {
        checkId("queues", queueId);
        return act((at, { store }) => server.callNext(store, queueId, at).then(shown));
      },
      requeue: transition("requeue"),
      undo: transition("undo"),
      transfer(entryId, queueId) {
        checkId("entries", entryId);
        checkId("queues", queueId);
        return act((_, { store }) => server.transferEntry(store, entryId, queueId).then(shown));
      },
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
        const change = { apiAccess: on };
        return act((_, { store }) => server.setBusiness(store, business, change).then(nothing));
      },
      dailyTokenLimit(limit, slug) {
        checkValue("dailyTokenLimit", limit, orNull(wholeNumber(0)));
        const business = slugOf(slug);
        const change = { dailyTokenLimit: limit };
        return act((_, { store }) => server.setBusiness(store, business, change).then(nothing));
      },
    },
    appointments: {
      set(id, status) {
        checkId("appointments", id);
        checkValue("status", status, oneOf(appointmentStatuses));
        return act((_, { store }) =>
          server.setAppointmentStatus(store, id, status).then(server.appointmentResource),
        );
      },
    },
    keys: {
      create(options = {}, slug) {
        const business = slugOf(slug);
        const whole = keyOf(options);
        return act(async (at, { store, random }) => {
          const context = { now: at, random };
          const { record, key } = await server.createKey(store, business, whole, context);
          return { id: record.id, key };
        });
      },
      revoke(keyOrId) {
        checkId("keys", keyOrId);
        const keyId = /^svc_live_([a-zA-Z0-9]+)_/.exec(keyOrId)?.[1] ?? keyOrId;
        return act((at, { store }) => server.revokeKey(store, keyId, at).then(nothing));
      },
    },
  };
}

/** What gives the id of a ref. */
const lookUps = {
  entries: "mock.ids.entry",
  queues: "mock.ids.queue",
  appointments: "mock.ids.appointment",
  keys: "mock.key",
} satisfies { readonly [Kind in RefKind]?: string };

/** The options of a key, with those that a test usually leaves out. Throws RangeError. */
function keyOf(given: unknown) {
  const usual = { ...unlimited, name: "Made in a test", scopes: ["queue:read", "queue:write"] };
  const whole = isObject(given) ? withDefaults(usual, given) : given;
  const checked = server.check(server.keyOptions, whole);
  if (!checked.ok) throw new RangeError(server.issueLine(checked.issues));
  return checked.value;
}

const nothing = () => undefined;

/** The entry after an act, without its position in the line. */
function shown(entry: Parameters<typeof server.entryResource>[0]["entry"]): Entry {
  return server.entryResource({ entry, line: null });
}
