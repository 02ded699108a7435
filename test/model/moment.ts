import type { Entry, QueueSummary } from "@queue-api/contract";
import { type Change, type Course, explain, type Verb } from "./line.js";
import type { Done, Prepared } from "./owner.js";
import type { Sent } from "./requests.js";
import {
  type Appointment,
  appointmentStatus,
  type Business,
  type Exchange,
  type Person,
  type Queue,
  type Receipt,
  type Service,
  send,
  type World,
} from "./world.js";

/*
 * A moment is what was possible in one business while a round ran. Everything that nobody changed has one value, so
 * what depends on it is judged exactly.
 */

/** A request with its answer. */
export interface Asked {
  readonly sent: Sent;
  readonly exchange: Exchange;
}

/** The values that something can have had. */
export type Values<Value> = ReadonlySet<Value>;

export interface Moment {
  readonly business: Business;
  readonly apiAccess: Values<boolean>;
  readonly isRevoked: Values<boolean>;
  readonly queues: ReadonlyMap<
    string,
    {
      readonly queue: Queue;
      readonly isActive: Values<boolean>;
      readonly isPaused: Values<boolean>;
      readonly exists: Values<boolean>;
    }
  >;
  readonly services: ReadonlyMap<
    string,
    {
      readonly service: Service;
      readonly isActive: Values<boolean>;
      readonly exists: Values<boolean>;
    }
  >;
  /** What was kept for idempotency keys before the round. */
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** How many requests of the key `small` were admitted before the round. */
  readonly asked: readonly Asked[];
  /** Known after {@link settle}: the states of each person in the round, and who came in it. */
  people: ReadonlyMap<string, Course>;
  newcomers: readonly Person[];
  readonly appointments: readonly {
    readonly appointment: Appointment;
    readonly statuses: Values<Appointment["status"]>;
    readonly canBeGone: boolean;
  }[];
}

/** The value before a round and those that acts set in it. */
function values<Value>(before: Value, set: readonly Value[]): Values<Value> {
  return new Set([before, ...set]);
}

/** What is possible in a business before its round is settled. */
export function momentOf(
  business: Business,
  acts: readonly Prepared[],
  asked: readonly Asked[],
): Moment {
  const own = acts.filter((one) => one.business === business);
  const deeds = own.map(({ act }) => act.deed);
  const flags = (queue: Queue, on: string, off: string) =>
    own.flatMap(({ act: { deed }, queue: of }) =>
      deed.does === "flag" && of === queue && [on, off].includes(deed.verb)
        ? [deed.verb === on]
        : [],
    );
  const removed = (does: string) => deeds.flatMap((deed) => (deed.does === does ? [false] : []));
  return {
    business,
    apiAccess: values(
      business.apiAccess,
      deeds.flatMap(({ does }) =>
        does === "access on" ? [true] : does === "access off" ? [false] : [],
      ),
    ),
    isRevoked: values(
      business.keys.leaving.isRevoked,
      deeds.flatMap(({ does }) => (does === "revoke" ? [true] : [])),
    ),
    queues: new Map(
      Object.entries(business.queues).map(([ref, queue]) => {
        const isActive = values(queue.isActive, flags(queue, "open", "close"));
        const isPaused = values(queue.isTokenCreationPaused, flags(queue, "pause", "resume"));
        const exists = values(queue.exists, ref === "spare" ? removed("remove queue") : []);
        return [queue.id, { queue: { ...queue }, isActive, isPaused, exists }];
      }),
    ),
    services: new Map(
      Object.entries(business.services).map(([ref, service]) => {
        const switched = own.flatMap(({ act: { deed }, service: of }) =>
          deed.does === "switch" && of === service ? [deed.on] : [],
        );
        const exists = values(service.exists, ref === "new" ? removed("remove service") : []);
        return [
          service.id,
          { service: { ...service }, isActive: values(service.active, switched), exists },
        ];
      }),
    ),
    receipts: new Map(business.receipts),
    asked: asked.filter(({ sent }) => sent.business === business),
    people: new Map(),
    newcomers: [],
    appointments: [],
  };
}

/** Reads a business as it is now, with a key of its own, at the first process. */
export async function readTruth(world: World, business: Business) {
  const get = async <Data>(path: string, query: Record<string, string> = {}) => {
    const [target] = world.place.targets;
    const { answer } = await send(world, target, { business, key: "clerk" }, "GET", path, {
      query,
    });
    if (answer.status !== 200)
      throw new Error(`GET ${path} after a round was answered ${answer.status} ${answer.text}`);
    return answer as typeof answer & { data: Data };
  };
  const queues = (await get<QueueSummary[]>("/v1/queues")).data;
  const lines = await Promise.all(
    queues.flatMap(({ id: queueId }) =>
      [business.today, business.yesterday].map(async (date) => {
        const query = { date, limit: "100" };
        const summary = (await get<QueueSummary>(`/v1/queues/${queueId}`, { date })).data;
        const entries: Entry[] = [];
        for (let cursor: string | null = ""; cursor !== null; ) {
          const page: Awaited<ReturnType<typeof get<Entry[]>>> = await get<Entry[]>(
            `/v1/queues/${queueId}/entries`,
            { ...query, ...(cursor && { cursor }) },
          );
          entries.push(...page.data);
          cursor = page.nextCursor;
        }
        return { queueId, date, summary, entries };
      }),
    ),
  );
  const services = (await get<{ id: string }[]>("/v1/services")).data;
  return { queues, lines, services };
}
export type Truth = Awaited<ReturnType<typeof readTruth>>;

const verbsOf: Readonly<Partial<Record<string, Verb>>> = {
  transfer: "transfer",
  correct: "correct",
};

/** The changes that a round asked for of a person. */
function changesOf(person: Person, moment: Moment, done: readonly Done[]): Change[] {
  const byApi = moment.asked.flatMap(({ sent, exchange: { answer } }): Change[] => {
    const isTried =
      sent.ask.call.op === "cancel" &&
      sent.target === person.id &&
      [200, 409].includes(answer.status);
    return isTried
      ? [{ verb: "cancel", isSeen: false, isMade: answer.status === 200, canFail: false }]
      : [];
  });
  const byOwner = done.flatMap(
    ({ act: { deed }, person: of, queue: to, service, appointment, isMade }): Change[] => {
      if (of?.id !== person.id) {
        const cancels =
          deed.does === "status" &&
          deed.status === "CANCELLED" &&
          appointment?.personId === person.id;
        return cancels ? [{ verb: "cancel", isSeen: false, isMade, canFail: false }] : [];
      }
      const verb = deed.does === "person" ? deed.verb : verbsOf[deed.does];
      if (!verb) return [];
      // A call of the next person depends on the others, a move on the other queue.
      const canFail = verb === "next" || verb === "transfer";
      const work =
        (service?.id ?? null) === person.serviceId
          ? person.work
          : (service?.baseTimeMinutes ?? null);
      const customer = {
        name: deed.does === "correct" ? deed.name || null : null,
        phone: "442079460000",
      };
      return [
        {
          ...{
            verb,
            isSeen: true,
            isMade,
            canFail,
            correction: { customer, serviceId: service?.id ?? null, work },
          },
          ...(to && { to }),
        },
      ];
    },
  );
  return [...byApi, ...byOwner];
}

/** Brings the world to what it is after a round. Returns what no order of the round's events explains. */
export function settle(moment: Moment, truth: Truth, done: readonly Done[]): string[] {
  const { business, asked } = moment;
  const faults: string[] = [];
  const own = done.filter((one) => one.business === business);
  for (const { isMade, said, act } of own) {
    const mustWork = ["flag", "switch", "revoke", "access on", "access off"].includes(
      act.deed.does,
    );
    if ((mustWork && !isMade) || said.startsWith("5"))
      faults.push(`${JSON.stringify(act.deed)} was answered ${said}`);
  }
  for (const one of own) {
    const fault = admissionFault(moment, one, own);
    if (fault) faults.push(`${JSON.stringify(one.act.deed)} ${fault}: ${one.said}`);
  }

  const shown = new Map(
    truth.lines.flatMap(({ queueId, date, entries }) =>
      entries.map((entry) => [entry.id, { queueId, date, entry }] as const),
    ),
  );
  const courses = new Map<string, Course>();
  for (const person of business.people.values()) {
    const now = shown.get(person.id);
    const changes = changesOf(person, moment, own);
    const course = now?.date === person.date ? explain(person, changes, now) : null;
    if (course) courses.set(person.id, course);
    else
      faults.push(
        `${person.token} was ${JSON.stringify(person)}\n  is ${JSON.stringify(now ?? null)}\n  which these changes do not explain: ${JSON.stringify(changes)}`,
      );
  }

  const newcomers = newcomersOf(moment, own, faults);
  const people = new Map([...courses].map(([id, { last }]) => [id, last]));
  for (const newcomer of newcomers) {
    const now = shown.get(newcomer.id);
    if (!now || now.queueId !== newcomer.queueId)
      faults.push(`${newcomer.token} was created, and is in no list of its queue`);
    else {
      const { predictedWaitMinutes: _, ...entry } = now.entry;
      const { id, name, phone } = { id: newcomer.id, ...newcomer.customer };
      const isEcho =
        entry.customer.name === name &&
        entry.customer.phone === phone &&
        entry.priority === newcomer.priority &&
        entry.status === "WAITING";
      const isService =
        entry.serviceId === newcomer.serviceId ||
        (isOff(moment, newcomer.serviceId) && entry.serviceId === null);
      if (!isEcho || !isService)
        faults.push(
          `the newcomer ${JSON.stringify(newcomer)} is listed as ${JSON.stringify(entry)}`,
        );
      const work =
        [...moment.services.values()].find(({ service }) => service.id === entry.serviceId)?.service
          .baseTimeMinutes ?? null;
      people.set(id, { ...newcomer, ...entry, work });
    }
  }
  for (const [id, { entry }] of shown) {
    if (!people.has(id) && !business.people.has(id))
      faults.push(`nobody created ${JSON.stringify(entry)}`);
  }

  moment.people = courses;
  moment.newcomers = newcomers.flatMap(({ id }) => people.get(id) ?? []);
  business.people = people;
  business.createdToday += newcomers.length;
  settleSettings(moment, truth, own, faults);
  for (const {
    sent,
    exchange: { answer },
  } of asked) {
    const { creation } = sent;
    if (creation)
      for (const id of [creation.queueId, creation.serviceId])
        if (id !== null) business.tried.add(id);
    if (!creation?.key || answer.status !== 201 || answer.headers.has("Idempotent-Replay"))
      continue;
    if (business.receipts.has(creation.key))
      faults.push(`the key ${creation.key} created two entries`);
    business.receipts.set(creation.key, {
      print: creation.print,
      text: answer.text,
      location: answer.headers.get("Location"),
    });
  }
  return faults;
}

/** What is wrong with the outcome of an act that puts somebody into a queue, or null. */
function admissionFault(
  { queues, services, business, newcomers }: Moment,
  one: Done,
  own: readonly Done[],
): string | null {
  const {
    act: { deed },
    isMade,
    queue: to,
    service,
    fields,
  } = one;
  const queue = queues.get(to?.id ?? "");
  if (!queue || !["walk-in", "transfer", "check-in"].includes(deed.does)) return null;
  const isClosed = !queue.isActive.has(true) || !queue.isPaused.has(false);
  if (isMade) return isClosed ? "was made in a queue that takes nobody" : null;
  if (deed.does !== "walk-in") return null;
  const canBeClosed =
    queue.isActive.has(false) || queue.isPaused.has(true) || queue.exists.has(false);
  const isTwin = own.some(
    (other) => other !== one && other.fields.form === fields.form && other.isMade,
  );
  const offered = services.get(service?.id ?? "");
  const canBeOff =
    offered !== undefined && (offered.isActive.has(false) || offered.exists.has(false));
  const { dailyTokenLimit: limit, createdToday } = business;
  const isFull = limit !== null && createdToday + newcomers.length >= limit;
  return canBeClosed || isTwin || canBeOff || isFull ? null : "was refused";
}

/** Whether a service can have been switched off, so that the token of an appointment has none. */
function isOff({ services }: Moment, id: string | null): boolean {
  const found = services.get(id ?? "");
  return found !== undefined && (found.isActive.has(false) || found.exists.has(false));
}

/** Everybody whom an answer says to be new, once each. */
function newcomersOf(
  { business, asked }: Moment,
  done: readonly Done[],
  faults: string[],
): Person[] {
  const found = new Map<string, Person>();
  const add = (
    person: Pick<Person, "id" | "queueId" | "serviceId" | "customer" | "tokenNumber" | "priority">,
  ) => {
    if (found.has(person.id) || business.people.has(person.id))
      faults.push(`the entry ${person.id} was created twice`);
    const queue = Object.values(business.queues).find(({ id }) => id === person.queueId);
    found.set(person.id, {
      ...{ status: "WAITING", startedAt: null, completedAt: null, canceledAt: null, issuedAt: "" },
      ...{
        date: business.today,
        token: `${queue?.series}${person.tokenNumber}`,
        tokenSeries: queue?.series ?? "",
      },
      ...{ work: null, left: [], before: null, ...person },
    });
  };
  for (const { sent, exchange } of asked) {
    const { creation } = sent;
    const { answer } = exchange;
    if (!creation || answer.status !== 201 || answer.headers.has("Idempotent-Replay")) continue;
    const { id, tokenNumber } = answer.data as Entry;
    const { queueId, serviceId, name, phone } = creation;
    add({
      id,
      queueId,
      serviceId,
      customer: { name, phone: phone.replaceAll(/\D/g, "") },
      tokenNumber,
      priority: false,
    });
  }
  for (const {
    act: { deed },
    isMade,
    entryId,
    queue,
    service,
    appointment,
  } of done) {
    if (!isMade || entryId === null || !queue) continue;
    const base = { id: entryId, queueId: queue.id, tokenNumber: 0 };
    if (deed.does === "walk-in")
      add({
        ...base,
        serviceId: service?.id ?? null,
        customer: { name: "Walk-in", phone: null },
        priority: deed.priority,
      });
    if (deed.does === "check-in" && appointment)
      add({
        ...base,
        serviceId: appointment.serviceId,
        customer: appointment.customer,
        priority: false,
      });
  }
  return [...found.values()];
}

/** The flags of queues and services, the switch, the key, the appointments. */
function settleSettings(
  moment: Moment,
  truth: Truth,
  done: readonly Done[],
  faults: string[],
): void {
  const { business } = moment;
  const isDone = (does: string) => done.some(({ act, isMade }) => isMade && act.deed.does === does);
  const settled = (what: string, possible: Values<boolean>, before: boolean, now: boolean) => {
    const later = possible.size === 1 ? [before] : [...possible];
    if (!later.includes(now)) faults.push(`${what} is ${now} after the round, and was ${before}`);
    return now;
  };
  for (const { queue, isActive, isPaused } of moment.queues.values()) {
    const own = Object.values(business.queues).find(({ id }) => id === queue.id);
    if (!own) continue;
    const now = truth.queues.find(({ id }) => id === queue.id);
    const isRemoved = queue.name === "Queue spare" && isDone("remove queue");
    own.exists = queue.exists && !isRemoved;
    if (own.exists !== (now !== undefined))
      faults.push(`${queue.name} ${own.exists ? "is gone" : "was removed and is there"}`);
    if (!now) continue;
    own.isActive = settled(`${queue.name}: isActive`, isActive, queue.isActive, now.isActive);
    own.isTokenCreationPaused = settled(
      `${queue.name}: isTokenCreationPaused`,
      isPaused,
      queue.isTokenCreationPaused,
      now.isTokenCreationPaused,
    );
  }
  for (const { service, isActive } of moment.services.values()) {
    const own = Object.values(business.services).find(({ id }) => id === service.id);
    if (!own) continue;
    own.exists = service.exists && !(service.name === "Service new" && isDone("remove service"));
    const isListed = truth.services.some(({ id }) => id === service.id);
    if (own.exists)
      own.active = settled(`${service.name}: active`, isActive, service.active, isListed);
    else if (isListed) faults.push(`${service.name} was removed and is listed`);
  }
  if (isDone("revoke")) business.keys.leaving.isRevoked = true;

  const before = business.appointments;
  const linked = (one: Appointment) =>
    one.personId === null ? null : business.people.get(one.personId);
  const changed = before.map((appointment) => {
    const made = done
      .filter((one) => one.isMade && one.appointment === appointment)
      .map(({ act, entryId }) => ({ deed: act.deed, entryId }));
    const next = { ...appointment };
    for (const { deed, entryId } of made) {
      if (deed.does === "check-in") next.personId = entryId;
      if (deed.does === "status" && appointment.personId === null) next.status = deed.status;
    }
    const isGone = made.some(({ deed }) => deed.does === "drop");
    const states =
      appointment.personId === null ? [] : (moment.people.get(appointment.personId)?.states ?? []);
    const now = appointmentStatus(linked(next), next.status);
    const statuses = values(
      now,
      states.length > 0
        ? states.map((one) => appointmentStatus(one, appointment.status))
        : [appointment.status],
    );
    return { appointment, next, isGone, statuses, canBeGone: isGone };
  });
  Object.assign(moment, { appointments: changed });
  business.appointments = changed.flatMap(({ next, isGone }) => (isGone ? [] : [next]));
}
