import type { AppointmentStatus, Entry } from "@queue-api/contract";
import { type Change, explain } from "./line.js";
import { correctedName, type Done, flags } from "./owner.js";
import { type Creation, printOf, type Sent } from "./requests.js";
import {
  type Appointment,
  type Business,
  type Exchange,
  type Person,
  type Truth,
  workOf,
} from "./world.js";

/** A request with its answer. */
export interface Asked {
  readonly sent: Sent;
  readonly exchange: Exchange;
}

/**
 * What was possible in one business while a round ran: it is as before the round or as after it, separately for each
 * thing in it. What nobody changed is the same in both, so that what depends on it is judged exactly.
 */
export interface Moment {
  readonly before: Business;
  readonly after: Business;
  /** The states in which each person was, in order. */
  readonly people: ReadonlyMap<string, readonly Person[]>;
  /** The ids of those who came in the round. */
  readonly newcomers: ReadonlySet<string>;
  readonly asked: readonly Asked[];
}

/** The settings of a business after acts that were made. */
function withSettings(before: Business, made: readonly Done[]): Business {
  const did = (does: string) => made.some(({ act }) => act.does === does);
  const changed = <Item extends { readonly id: string }>(items: readonly Item[]) =>
    items.map((item) => {
      const own = made.find(({ act, thing }) => thing === item.id && act.does in flags);
      return { ...item, ...flags[own?.act.does ?? ""] };
    });
  const { leaving } = before.keys;
  return {
    ...before,
    apiAccess: !did("access-off"),
    keys: {
      ...before.keys,
      ...(leaving && { leaving: { ...leaving, revoked: leaving.revoked || did("revoke") } }),
    },
    queues: changed(before.queues),
    services: changed(before.services),
  };
}

/** The changes that a round asked for of a person. */
function changesOf(
  personId: string,
  before: Business,
  asked: readonly Asked[],
  done: readonly Done[],
): Change[] {
  const byApi = asked.flatMap(({ sent, exchange: { answer } }): Change[] => {
    const isTried = sent.ask.op === "cancel" && [200, 409].includes(answer.status);
    if (!isTried || sent.target !== personId) return [];
    return [{ verb: "cancel", isMade: answer.status === 200, canFail: false }];
  });
  const byOwner = done.flatMap((one): Change[] => {
    const { act, serviceId, isMade, queue: to } = one;
    if (one.personId !== personId || isCreation(one)) return [];
    const customer = { name: correctedName(act), phone: null };
    const correction = { customer, serviceId, work: workOf(before, serviceId) };
    // They depend on the others in the line, the other queue or the service, too.
    const canFail = ["next", "transfer", "correct"].includes(act.does);
    return [{ verb: act.does, isMade, canFail, correction, to }];
  });
  return [...byApi, ...byOwner];
}

const isCreation = ({ act }: Done) => act.does === "walk-in" || act.does === "check-in";

const statusOf = {
  WAITING: "CHECKED_IN",
  IN_SERVICE: "IN_SERVICE",
  COMPLETED: "COMPLETED",
  CANCELED: "CANCELLED",
  NO_SHOW: "NO_SHOW",
} as const satisfies Record<Entry["status"], AppointmentStatus>;

/** An appointment as responses show it. `person`: who came for it. */
export function shownAppointment(
  { personId: _, ...shown }: Appointment,
  person: Person | undefined,
) {
  return { ...shown, status: person ? statusOf[person.status] : shown.status };
}

/** Somebody who came in a round, as the request or the act says it. */
interface Newcomer extends Pick<Person, "customer" | "priority" | "queueId"> {
  readonly id: string;
  readonly serviceId: string | null;
}

/** Finds out what a round made of a business. `faults` are what no order of its events explains. */
export function settle(
  before: Business,
  asked: readonly Asked[],
  done: readonly Done[],
  truth: Truth,
): { readonly moment: Moment; readonly faults: string[] } {
  const made = done.filter(({ isMade }) => isMade);
  const settings = withSettings(before, made);
  const faults = done.flatMap((one) => actFault(one, before, settings) ?? []);
  const shown = new Map(
    truth.lines.flatMap(({ queueId, entries }) =>
      entries.map((entry) => [entry.id, { queueId, entry }] as const),
    ),
  );
  const people = new Map<string, readonly Person[]>();
  const follow = (person: Person) => {
    const now = shown.get(person.id);
    const changes = changesOf(person.id, before, asked, done);
    const states = now ? explain(person, changes, now) : null;
    if (states) people.set(person.id, states);
    else {
      faults.push(
        `${JSON.stringify(person)}\n  became ${JSON.stringify(now)}\n  which is not explained by ${JSON.stringify(changes)}`,
      );
    }
  };
  for (const person of before.people.values()) follow(person);

  const created = asked.flatMap(({ sent: { creation }, exchange: { answer } }) =>
    creation && answer.status === 201 && !answer.headers.has("Idempotent-Replay")
      ? [{ creation, answer }]
      : [],
  );
  const comers = [
    ...created.map(({ creation, answer }) => comerOf(creation, answer.data as Entry)),
    ...made.filter(isCreation).map((one) => comerBy(one, settings, shown)),
  ];
  const newcomers = new Set<string>();
  for (const comer of comers) {
    const { id, queueId } = comer;
    const entry = shown.get(id)?.entry;
    if (!entry || newcomers.has(id) || before.people.has(id)) {
      faults.push(`${id} was created in ${queueId}, and is now ${JSON.stringify(entry)}`);
      continue;
    }
    newcomers.add(id);
    follow(freshPerson(before, comer, entry));
  }
  for (const id of shown.keys()) {
    if (!newcomers.has(id) && !before.people.has(id)) faults.push(`nobody created ${id}`);
  }

  const receipts = new Map(before.receipts);
  for (const { creation, answer } of created) {
    if (creation.key === null) continue;
    if (receipts.has(creation.key)) faults.push(`${creation.key} created two entries`);
    receipts.set(creation.key, { print: printOf(creation), answer });
  }
  const after: Business = {
    ...settings,
    receipts,
    created: before.created + newcomers.size,
    people: new Map([...people].map(([id, states]) => [id, states.at(-1) as Person])),
    appointments: before.appointments.map((appointment) => {
      const own = made.find(({ thing }) => thing === appointment.id);
      if (own?.act.does === "check-in") return { ...appointment, personId: own.personId };
      return own ? { ...appointment, status: own.act.does as AppointmentStatus } : appointment;
    }),
  };
  return { moment: { before, after, people, newcomers, asked }, faults };
}

/** Who came by a request. */
function comerOf({ name, phone, queueId, serviceId }: Creation, { id }: Entry): Newcomer {
  const customer = { name, phone: phone.replaceAll(/\D/g, "") };
  return { id, queueId, customer, serviceId, priority: false };
}

/** Who came by an act of the owner. A service that was switched off is not on the token of an appointment. */
function comerBy(
  { act, business, thing, personId, queue, serviceId }: Done,
  settings: Business,
  shown: ReadonlyMap<string, { readonly entry: Entry }>,
): Newcomer {
  const id = personId ?? "";
  const appointment = business.appointments.find((one) => one.id === thing);
  if (!appointment) {
    const customer = { name: null, phone: null };
    return { id, queueId: queue.id, customer, serviceId, priority: act.who % 2 === 0 };
  }
  const { customer, serviceId: booked } = appointment;
  const isDropped = shown.get(id)?.entry.serviceId === null && isOff(business, settings, booked);
  const service = isDropped ? null : booked;
  return { id, queueId: queue.id, customer, serviceId: service, priority: false };
}

/** Somebody as they came. `entry`: what the service shows of them, for what only it can know. */
function freshPerson(before: Business, comer: Newcomer, entry: Entry): Person {
  const { tokenSeries = "" } = before.queues.find(({ id }) => id === comer.queueId) ?? {};
  const { id, issuedAt, tokenNumber } = entry;
  return {
    ...comer,
    id,
    issuedAt,
    tokenNumber,
    tokenSeries,
    token: `${tokenSeries}${tokenNumber}`,
    status: "WAITING",
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    work: workOf(before, comer.serviceId),
    left: [],
    before: null,
  };
}

/** Whether a service can have been switched off in a round. */
function isOff(before: Business, after: Business, id: string | null): boolean {
  return [before, after].some(({ services }) =>
    services.some((one) => one.id === id && !one.active),
  );
}

const always = new Set([...Object.keys(flags), "revoke", "access-on", "access-off"]);

/** What is wrong with the outcome of an act, or null. What becomes of a person is explained elsewhere. */
function actFault(one: Done, before: Business, after: Business): string | null {
  const { act, queue, isMade, said } = one;
  const fault = (what: string) => `${act.does} ${what} ${queue.name}: ${said}`;
  if (always.has(act.does) && !isMade) return fault("failed at");
  if (!isCreation(one) && act.does !== "transfer") return null;
  const opens = [before, after].map(({ queues }) =>
    queues.some(
      ({ id, isActive, isTokenCreationPaused }) =>
        id === queue.id && isActive && !isTokenCreationPaused,
    ),
  );
  return isMade && !opens.includes(true) ? fault("put somebody into the closed queue") : null;
}
