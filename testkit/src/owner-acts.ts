import { appointmentStatuses } from "@queue-api/contract";
import * as server from "../../server/src/in-process.js";
import type { Entry } from "./api.js";
import { checkValue, isObject, ofType, oneOf, orNull, wholeNumber } from "./check-options.js";
import { unlimited, withDefaults } from "./key-limits.js";
import type { MockedService } from "./mocked-service.js";
import type { OwnerSide } from "./owner-side.js";
import { onlyBusiness } from "./seed-lookup.js";

/** The acts of the owner on the service after the last reset. Each waits for `acts`, the end of those before. */
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
  const transition = (kind: server.ServingTransition) => (entryId: string) =>
    act((at, { store }) => server.serveEntry(store, entryId, kind, at).then(shown));
  const flag = (flags: Parameters<typeof server.setQueueFlags>[2]) => (queueId: string) =>
    act((_, { store }) => server.setQueueFlags(store, queueId, flags).then(server.queueResource));

  return {
    entries: {
      call: transition("call"),
      complete: transition("complete"),
      noShow: transition("no-show"),
      next: (queueId) => act((at, { store }) => server.callNext(store, queueId, at).then(shown)),
      requeue: transition("requeue"),
      undo: transition("undo"),
      transfer: (entryId, queueId) =>
        act((_, { store }) => server.transferEntry(store, entryId, queueId).then(shown)),
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
        const keyId = /^svc_live_([a-zA-Z0-9]+)_/.exec(keyOrId)?.[1] ?? keyOrId;
        return act((at, { store }) => server.revokeKey(store, keyId, at).then(nothing));
      },
    },
  };
}

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
