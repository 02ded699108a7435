import type { AppointmentStatus, Entry } from "@queue-api/contract";
import { type Change, explain, isShownAs, type Verb } from "./line.js";
import type { Done } from "./owner.js";
import { printOf, type Sent } from "./requests.js";
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
  /** The states in which each person can have been, the last one at the end. */
  readonly people: ReadonlyMap<string, readonly Person[]>;
  /** The ids of those who came in the round. */
  readonly newcomers: ReadonlySet<string>;
  readonly asked: readonly Asked[];
}

/** The acts that change one field of a queue or a service. */
const flags: Readonly<Record<string, object>> = {
  pause: { isTokenCreationPaused: true },
  resume: { isTokenCreationPaused: false },
  close: { isActive: false },
  open: { isActive: true },
  on: { active: true },
  off: { active: false },
};

/** The settings of a business after acts that were made. */
function withSettings(before: Business, made: readonly Done[]): Business {
  const did = (does: string) => made.some(({ act }) => act.does === does);
  const leaving = before.keys.leaving;
  const changed = <Item extends { readonly id: string; readonly name: string }>(
    items: readonly Item[],
  ) =>
    items
      .filter(
        ({ id }) => !made.some(({ act, thing }) => act.does.startsWith("remove-") && thing === id),
      )
      .map((item) => ({
        ...item,
        ...flags[
          made.find(({ act, thing }) => thing === item.id && flags[act.does])?.act.does ?? ""
        ],
      }));
  return {
    ...before,
    apiAccess: did("access-off") ? false : before.apiAccess || did("access-on"),
    keys: leaving
      ? { ...before.keys, leaving: { ...leaving, isRevoked: leaving.isRevoked || did("revoke") } }
      : before.keys,
    queues: changed(before.queues),
    services: changed(before.services),
  };
}

/** The changes that a round asked for of a person. */
function changesOf(
  person: Person,
  before: Business,
  asked: readonly Asked[],
  done: readonly Done[],
): Change[] {
  const byApi = asked.flatMap(({ sent, exchange: { answer } }): Change[] => {
    const isTried =
      sent.ask.op === "cancel" && sent.target === person.id && [200, 409].includes(answer.status);
    return isTried
      ? [{ verb: "cancel", isSeen: false, isMade: answer.status === 200, canFail: false }]
      : [];
  });
  const byOwner = done.flatMap(({ act: { does }, thing, fields, isMade }): Change[] => {
    const booked = before.appointments.find(({ id }) => id === thing)?.personId === person.id;
    if (booked && does === "CANCELLED")
      return [{ verb: "cancel", isSeen: false, isMade, canFail: false }];
    if (thing !== person.id) return [];
    const serviceId = fields.service || null;
    const work = serviceId === person.serviceId ? person.work : workOf(before, serviceId);
    const correction = {
      customer: { name: fields.name || null, phone: "442079460000" },
      serviceId,
      work,
    };
    const to = before.queues.find(({ id }) => id === fields.to);
    const losesService =
      serviceId !== person.serviceId &&
      done.some(
        ({ act, thing }) => thing === serviceId && ["off", "remove-service"].includes(act.does),
      );
    // A call of the next person depends on the others, a transfer on the other queue, a correction on the service.
    const canFail = does === "next" || does === "transfer" || losesService;
    return [{ verb: does as Verb, isSeen: true, isMade, canFail, correction, ...(to && { to }) }];
  });
  return [...byApi, ...byOwner];
}

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

/** Finds out what a round made of a business. `faults` are what no order of its events explains. */
export function settle(
  before: Business,
  asked: readonly Asked[],
  done: readonly Done[],
  truth: Truth,
): { readonly moment: Moment; readonly faults: string[] } {
  const faults: string[] = [];
  const made = done.filter(({ isMade }) => isMade);
  const shown = new Map(
    truth.lines.flatMap(({ queueId, date, entries }) =>
      entries.map((entry) => [entry.id, { queueId, date, entry }] as const),
    ),
  );
  const people = new Map<string, readonly Person[]>();
  for (const person of before.people.values()) {
    const now = shown.get(person.id);
    const changes = changesOf(person, before, asked, done);
    const states = now?.date === person.date ? explain(person, changes, now) : null;
    if (states) people.set(person.id, states);
    else
      faults.push(
        `${JSON.stringify(person)}\n  became ${JSON.stringify(now)}\n  which is not explained by ${JSON.stringify(changes)}`,
      );
  }

  const settings = withSettings(before, made);
  const newcomers = new Set<string>();
  const come = (
    id: string,
    queueId: string,
    expected: Pick<Person, "customer" | "serviceId" | "priority">,
  ) => {
    const now = shown.get(id);
    if (now?.queueId !== queueId || newcomers.has(id) || before.people.has(id)) {
      faults.push(`${id} was created in ${queueId}, and is now ${JSON.stringify(now)}`);
    } else {
      const { predictedWaitMinutes: _, ...entry } = now.entry;
      const series = before.queues.find((queue) => queue.id === queueId)?.tokenSeries ?? "";
      const untouched = {
        status: "WAITING",
        startedAt: null,
        completedAt: null,
        canceledAt: null,
      } as const;
      const person: Person = {
        ...entry,
        ...untouched,
        ...expected,
        token: `${series}${entry.tokenNumber}`,
        tokenSeries: series,
        queueId,
        date: before.today,
        work: workOf(before, expected.serviceId),
        left: [],
        before: null,
      };
      if (!isShownAs(person, entry))
        faults.push(`${JSON.stringify(person)} is listed as ${JSON.stringify(entry)}`);
      people.set(id, [person]);
    }
    newcomers.add(id);
  };
  const receipts = new Map(before.receipts);
  for (const {
    sent: { creation },
    exchange: { answer },
  } of asked) {
    if (!creation || answer.status !== 201 || answer.headers.has("Idempotent-Replay")) continue;
    const { key, name, phone, serviceId, queueId } = creation;
    const { id } = answer.data as Entry;
    come(id, queueId, {
      customer: { name, phone: phone.replaceAll(/\D/g, "") },
      serviceId,
      priority: false,
    });
    if (key === null) continue;
    if (receipts.has(key)) faults.push(`the key ${key} created two entries`);
    receipts.set(key, { print: printOf(creation), answer });
  }
  for (const {
    act: { does },
    thing,
    fields,
    entryId,
  } of made) {
    if (entryId === null || (does !== "walk-in" && does !== "check-in")) continue;
    const appointment = before.appointments.find(({ id }) => id === thing);
    const walkIn = {
      customer: { name: "Walk-in", phone: null },
      serviceId: fields.service || null,
      priority: fields.priority === "on",
    };
    // A service that was switched off is not on the token of an appointment.
    const serviceId =
      shown.get(entryId)?.entry.serviceId === null &&
      isOff(before, settings, appointment?.serviceId)
        ? null
        : (appointment?.serviceId ?? null);
    come(
      entryId,
      fields.queue ?? "",
      appointment ? { customer: appointment.customer, serviceId, priority: false } : walkIn,
    );
  }
  for (const id of shown.keys())
    if (!people.has(id) && !before.people.has(id)) faults.push(`nobody created ${id}`);

  const after: Business = {
    ...settings,
    receipts,
    createdToday: before.createdToday + newcomers.size,
    people: new Map(
      [...people].flatMap(([id, states]) =>
        states.length > 0 ? [[id, states.at(-1) as Person]] : [],
      ),
    ),
    appointments: before.appointments
      .filter(({ id }) => !made.some(({ act, thing }) => act.does === "drop" && thing === id))
      .map((appointment) => {
        const own = made.find(({ thing }) => thing === appointment.id);
        if (own?.act.does === "check-in") return { ...appointment, personId: own.entryId };
        const isSet = own && appointment.personId === null;
        return isSet ? { ...appointment, status: own.act.does as AppointmentStatus } : appointment;
      }),
  };
  return {
    moment: { before, after, people, newcomers, asked },
    faults: [...faults, ...done.flatMap((one) => actFault(one, before, after, done) ?? [])],
  };
}

/** Whether a service can have been switched off in a round. */
function isOff(before: Business, after: Business, id: string | null | undefined): boolean {
  return (
    id != null &&
    [before, after].some(({ services }) => !services.some((one) => one.id === id && one.active))
  );
}

const always = new Set([...Object.keys(flags), "revoke", "access-on", "access-off"]);

/** What is wrong with the outcome of an act, or null. What becomes of a person is explained elsewhere. */
function actFault(
  one: Done,
  before: Business,
  after: Business,
  done: readonly Done[],
): string | null {
  const {
    act: { does },
    fields,
    isMade,
    said,
  } = one;
  const fault = (what: string) => `${does} ${JSON.stringify(fields)} ${what}: ${said}`;
  if (said.startsWith("5") || (always.has(does) && !isMade)) return fault("failed");
  const target = does === "transfer" ? fields.to : fields.queue;
  if (target === undefined || !["walk-in", "transfer", "check-in"].includes(does)) return null;
  const isOpen = ({ queues }: Business) =>
    queues.some(
      ({ id, isActive, isTokenCreationPaused: paused }) => id === target && isActive && !paused,
    );
  const opens = [before, after].map(isOpen);
  if (isMade)
    return opens.includes(true) ? null : fault("put somebody into a queue that takes nobody");
  const isFull = after.dailyTokenLimit !== null && after.createdToday >= after.dailyTokenLimit;
  const isSecond = done.some(
    (other) => other !== one && other.isMade && other.fields.form === fields.form,
  );
  const canFail =
    opens.includes(false) || isFull || isSecond || isOff(before, after, fields.service || null);
  return does === "walk-in" && !canFail ? fault("was refused") : null;
}
