import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { newId } from "../../server/src/rules/ids.js";
import type { Transition } from "../../server/src/rules/transitions.js";
import { peopleOf } from "./requests.js";
import { at, type Business, pick, type Queue, type ValueOf, type World, workOf } from "./world.js";

/*
 * What the owner does while a round runs: each act is an operation on the store of the first process.
 */

/** The acts, by what they are done to. A word that stands twice is done more often. */
const words = {
  person:
    "call call next call-again complete no-show requeue cancel priority no-priority undo undo transfer transfer transfer correct correct",
  queue:
    "walk-in walk-in call-next call-next pause pause pause pause resume resume resume close open",
  service: "on off",
  appointment: "check-in check-in CONFIRMED NO_SHOW CANCELLED",
  key: "revoke",
  business: "access-off access-on",
};
const kinds = new Map(
  Object.entries(words).flatMap(([kind, list]) => list.split(" ").map((does) => [does, kind])),
);
const act = fc.record({
  business: fc.constantFrom(0, 0, 0, 1),
  does: pick(Object.values(words).join(" ")),
  who: fc.nat(99),
  queue: pick("front front front second paused paused closed"),
  service: fc.nat(4),
});
export type Act = ValueOf<typeof act>;
export const ownerActs = fc.array(act, { maxLength: 16, size: "max" });

/** An act with what it is done to. */
interface Prepared {
  readonly act: Act;
  readonly business: Business;
  /** The id of what it is done to. */
  readonly thing: string;
  readonly queue: Queue;
  readonly serviceId: string;
}

/** An act that was done, or refused. */
export interface Done extends Prepared {
  readonly isMade: boolean;
  /** The person whom it created or changed. */
  readonly personId: string | null;
  readonly said: string;
}

/** Chooses what a round's acts are done to: each thing once, so that it has one value before and one after the round. */
export function prepareAll(world: World, acts: readonly Act[]): Prepared[] {
  const taken = new Set<string>();
  return acts.flatMap((act) => {
    const business = at(world.businesses, act.business);
    const queue = business.queues.find(({ name }) => name === act.queue) as Queue;
    const service = at(business.services, act.service);
    const things = thingsOf(act, business, queue.id, service.id);
    if (things.length === 0) return [];
    const thing = at(things, act.who);
    const isOfMany = ["walk-in", "call-next"].includes(act.does);
    if (!isOfMany && taken.has(thing)) return [];
    if (!isOfMany) taken.add(thing);
    return [{ act, business, thing, queue, serviceId: service.id }];
  });
}

/** The ids of what an act can be done to. */
function thingsOf({ does }: Act, business: Business, queueId: string, serviceId: string) {
  const ids: Readonly<Record<string, readonly string[]>> = {
    person: peopleOf(business).map(({ id }) => id),
    queue: [queueId],
    service: [serviceId],
    appointment: business.appointments.map(({ id }) => id),
    key: [business.keys.leaving?.text.split("_")[2] ?? ""],
    business: [business.id],
  };
  return ids[kinds.get(does) ?? ""] ?? [];
}

/** The acts that change one field of a queue or a service. */
export const flags: Readonly<Record<string, object>> = {
  pause: { isTokenCreationPaused: true },
  resume: { isTokenCreationPaused: false },
  close: { isActive: false },
  open: { isActive: true },
  on: { active: true },
  off: { active: false },
};

/** The name that a correction gives, if it gives one. */
export const correctedName = ({ who }: Act) => (who % 2 === 0 ? null : "Corrected");

/** Does an act, and reads from its outcome whether it was made. */
export async function perform({ place }: World, prepared: Prepared): Promise<Done> {
  const { act, thing } = prepared;
  const result = await run(place, prepared);
  const { outcome, receipt, entry = receipt?.entry } = result;
  const isMade = outcome === "changed" || outcome === "issued";
  const personId = entry?.id ?? (kinds.get(act.does) === "person" ? thing : null);
  return { ...prepared, isMade, personId, said: outcome };
}

interface Outcome {
  readonly outcome: string;
  readonly entry?: { readonly id: string };
  readonly receipt?: { readonly entry: { readonly id: string } };
}

async function run(
  { store }: World["place"],
  { act, business, thing, queue, serviceId }: Prepared,
): Promise<Outcome> {
  const { does } = act;
  const { id: businessId, today: date } = business;
  const now = await store.now();
  const token = { id: newId(now, randomBytes), queueId: queue.id, date, issuedAt: now };
  const changed = (result: unknown) => ({ outcome: result === null ? "not_found" : "changed" });
  const flag = flags[does];
  if (flag) {
    const items = kinds.get(does) === "queue" ? store.queues : store.services;
    return changed(await items.change(businessId, thing, flag));
  }
  switch (does) {
    case "walk-in": {
      const nobody = { customerName: null, customerPhone: null, phoneIsInternational: false };
      const priority = act.who % 2 === 0;
      const person = { ...nobody, serviceId, priority, keyed: null };
      return store.entries.issue(businessId, { ...token, ...person });
    }
    case "call-next": {
      const entry = await store.entries.callNext(businessId, thing, date, now);
      return entry ? { outcome: "changed", entry } : { outcome: "nobody waits" };
    }
    case "check-in":
      return store.appointments.checkIn(businessId, thing, token);
    case "CONFIRMED":
    case "NO_SHOW":
    case "CANCELLED":
      return store.appointments.change(businessId, thing, { status: does });
    case "revoke":
      return changed(await store.keys.change(businessId, thing, { revokedAt: now }));
    case "access-on":
    case "access-off":
      return changed(await store.businesses.change(thing, { apiAccess: does === "access-on" }));
    case "transfer":
      return store.entries.transfer(businessId, thing, queue.id);
    case "correct": {
      const customerName = correctedName(act);
      const person = { customerName, customerPhone: null, phoneIsInternational: false };
      const work = { serviceId, workMinutes: workOf(business, serviceId) };
      return store.entries.correct(businessId, thing, { ...person, ...work });
    }
    default:
      return store.entries.transition(businessId, thing, does as Transition, now);
  }
}

/** An act in words. */
export function inWords({ act, business, thing, said }: Done): string {
  return `${business.slug}: ${act.does} ${thing} ${act.queue} ${act.service}: ${said}`;
}
