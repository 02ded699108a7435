import type {
  Appointment as AppointmentAnswer,
  Entry,
  EntryWithPosition,
  Me,
  Queue as QueueAnswer,
  QueueSummary,
  Service as ServiceAnswer,
} from "@queue-api/contract";
import type { Answer } from "../support/answer.js";
import { averageWait, isShownAs, waitBehind } from "./line.js";
import type { Asked, Moment, Values } from "./moment.js";
import { type Place, placeOfNumber, placeOfSlot } from "./requests.js";
import type { Exchange, Person, World } from "./world.js";

/*
 * The oracle: what the document allows as the answer to one request, whoever stands beside it. The refusals are in the
 * order in which the service checks them. One that must happen hides the later ones.
 */

/** An answer that is allowed: a refusal, or a success whose content `fault` checks. */
interface Allowed {
  readonly status: number;
  readonly code?: string;
  readonly fields?: readonly string[];
  /** What is wrong with the answer; null for nothing. */
  readonly fault?: (answer: Answer) => string | null;
}

type Chance = "never" | "maybe" | "surely";
const chanceOf = <Value>(values: Values<Value> | undefined, value: Value): Chance => {
  if (!values?.has(value)) return "never";
  return values.size === 1 ? "surely" : "maybe";
};

/** What is wrong with the answer to a request, or null. */
export function judge(asked: Asked, moment: Moment, world: World): string | null {
  const { answer } = asked.exchange;
  const allowed = allowedFor(asked, moment, world);
  const code = codeOf(asked.exchange);
  const faults = allowed
    .filter((one) => one.status === answer.status && one.code === code)
    .map(({ fields, fault }) => {
      const wrong =
        answer.status === 400 && answer.error.details
          ? answer.wrongFields.map((field) => field.toLowerCase())
          : null;
      const stray =
        wrong?.filter((field) => fields && !fields.some((one) => one.toLowerCase() === field)) ??
        [];
      return stray.length > 0 ? `it names ${stray}` : (fault?.(answer) ?? null);
    });
  if (faults.includes(null)) return null;
  const { method, path, body } = asked.sent;
  const list = allowed.map(({ status, code = "", fields = [] }) =>
    `${status} ${code} ${fields}`.trim(),
  );
  return `${method} ${path} ${body ?? ""} with ${JSON.stringify(asked.sent.headers)} and the key ${asked.sent.key} of business ${asked.sent.ask.business}\n  was answered ${answer.status} ${answer.headers.get("Idempotent-Replay") ? "(replay) " : ""}${answer.text}\n  allowed: ${list.join(", ")}\n  ${faults.join("; ")}`;
}

const refusal = (status: number, code: string, ...fields: string[]): Allowed => ({
  status,
  code,
  ...(fields.length > 0 && { fields }),
});

function allowedFor(asked: Asked, moment: Moment, world: World): Allowed[] {
  const { sent, exchange } = asked;
  const { ask, business } = sent;
  const all: Allowed[] = [];
  const refuses = (chance: Chance, status: number, code: string) => {
    if (chance !== "never") all.push(refusal(status, code));
    return chance === "surely";
  };
  if (sent.isKeyInUrl) return [refusal(400, "invalid_request")];
  if (ask.call.op === "index")
    return sent.faults.length > 0 ? [refusal(400, "invalid_request")] : [{ status: 200 }];
  if (refuses(isUnauthorized(asked, moment), 401, "unauthorized")) return all;
  if (refuses(chanceOf(moment.apiAccess, false), 403, "api_access_disabled")) return all;
  if (refuses(sent.key === "elsewhere" ? "surely" : "never", 403, "ip_not_allowed")) return all;
  if (refuses(isOverLimit(asked, world), 429, "rate_limited")) return all;
  if (ask.call.op === "nothing") return [...all, refusal(404, "not_found")];
  const needed = scopeOf(ask.call.op);
  if (sent.key === "none" || sent.key === "garbage") return all;
  const key = business.keys[sent.key];
  if (needed && !key.scopes.includes(needed)) {
    const names = ({ error }: Answer) =>
      error.required?.join() === needed ? null : `required is ${error.required}`;
    return [...all, { ...refusal(403, "insufficient_scope"), fault: names }];
  }
  if (sent.faults.length > 0) {
    const isNamed = sent.faults.every(({ field }) => field !== undefined);
    const fields = isNamed ? sent.faults.flatMap(({ field }) => field ?? []) : [];
    const one = sent.faults.map(({ status, code }) => refusal(status, code, ...fields));
    const isLate = sent.faults.every((fault) => fault.isLate);
    return [
      ...all,
      ...one,
      ...(isLate
        ? endpoint(asked, moment, exchange.answer).filter(({ status }) => status === 404)
        : []),
    ];
  }
  return [...all, ...endpoint(asked, moment, exchange.answer)];
}

function scopeOf(op: string) {
  if (op === "me") return null;
  if (op === "create" || op === "cancel") return "queue:write";
  return op.startsWith("appointment") ? "appointments:read" : "queue:read";
}

function isUnauthorized({ sent, exchange }: Asked, moment: Moment): Chance {
  if (sent.key === "none" || sent.key === "garbage") return "surely";
  if (sent.key === "leaving") return chanceOf(moment.isRevoked, true);
  const { expiresAt, isRevoked } = sent.business.keys[sent.key];
  if (isRevoked) return "surely";
  if (expiresAt === null || exchange.answeredAt < expiresAt - 5) return "never";
  return exchange.sentAt > expiresAt + 5 ? "surely" : "maybe";
}

/** Whether a request is answered before its key is looked at: it has a key in its URL, or needs none. */
export const isUnread = ({ path }: Exchange) =>
  path.includes("svc_live") || path.split("?")[0] === "/v1";

/** The code of a refusal. */
export const codeOf = ({ answer }: Exchange) =>
  answer.status >= 400 ? answer.error.code : undefined;

/** Whether a request was charged to the windows of its key. */
export function isCharged(one: Exchange): boolean {
  const { status } = one.answer;
  return (
    !isUnread(one) &&
    status !== 401 &&
    status !== 429 &&
    !["api_access_disabled", "ip_not_allowed"].includes(codeOf(one) ?? "")
  );
}

function isOverLimit({ sent, exchange }: Asked, world: World): Chance {
  if (sent.key !== "small") return "never";
  const key = sent.business.keys.small;
  const others = world.exchanges.filter(
    (one) => one.business === sent.business && one.key === "small",
  );
  const charged = others.filter(isCharged);
  const isWrite = sent.method === "POST";
  const isFull = (when: (one: (typeof others)[number]) => boolean) => {
    const counted = charged.filter(when);
    return (
      counted.length >= key.requestsPerMinute ||
      (isWrite && counted.filter(({ method }) => method === "POST").length >= key.writesPerMinute)
    );
  };
  if (isFull(({ answeredAt }) => answeredAt <= exchange.sentAt))
    return Date.now() - world.startedAt < 55_000 ? "surely" : "maybe";
  return isFull(({ sentAt, answer }) => sentAt <= exchange.answeredAt && answer !== exchange.answer)
    ? "maybe"
    : "never";
}

function endpoint(asked: Asked, moment: Moment, answer: Answer): Allowed[] {
  const { sent } = asked;
  const { business, target } = sent;
  const ok = (fault: NonNullable<Allowed["fault"]>): Allowed => ({ status: 200, fault });
  const notFound = refusal(404, "not_found");
  const { call } = sent.ask;
  switch (call.op) {
    case "me":
      return [ok(({ data }) => meFault(asked, data as Me))];
    case "services":
      return [ok(({ data }) => servicesFault(moment, data as ServiceAnswer[]))];
    case "queues":
      return [ok(({ data }) => queuesFault(moment, data as QueueAnswer[]))];
    case "queue":
    case "entries": {
      const queue = moment.queues.get(target ?? "");
      if (!queue || chanceOf(queue.exists, false) === "surely") return [notFound];
      const found = ok(
        call.op === "queue"
          ? ({ data }) => summaryFault(moment, data as QueueSummary, target ?? "", sent.date)
          : () => entriesFault(asked, moment, answer),
      );
      return queue.exists.has(false) ? [notFound, found] : [found];
    }
    case "entry": {
      const course = moment.people.get(target ?? "");
      if (!course) return [notFound];
      return [ok(({ data }) => entryFault(moment, data as EntryWithPosition, course.states))];
    }
    case "cancel": {
      const course = moment.people.get(target ?? "");
      if (!course) return [notFound];
      const canceled = course.states.filter(({ status }) => status === "CANCELED");
      const isElsewhere = course.states.some(({ status }) => status !== "WAITING");
      return [
        ...(course.states.some(({ status }) => status === "WAITING")
          ? [
              ok(({ data }) =>
                canceled.some((one) => isShownAs(one, data as Entry)) &&
                (data as Entry).predictedWaitMinutes === null
                  ? null
                  : "the entry is not the canceled one",
              ),
            ]
          : []),
        ...(isElsewhere ? [refusal(409, "invalid_state")] : []),
      ];
    }
    case "appointments":
      return [ok(() => appointmentsFault(asked, moment, answer))];
    case "appointment": {
      const found = moment.appointments.find(({ appointment }) => appointment.id === target);
      if (!found) return [notFound];
      const one = ok(({ data }) =>
        isAppointment(found, data as AppointmentAnswer)
          ? null
          : `it was ${JSON.stringify(found.appointment)}`,
      );
      return found.canBeGone ? [one, notFound] : [one];
    }
    case "create":
      return creation(asked, moment);
    default:
      throw new Error(`no answer is known for ${call.op} of ${business.slug}`);
  }
}

/** What a creation may get. A replay and a refusal depend on what else its key was used for, and nothing else does. */
function creation(asked: Asked, moment: Moment): Allowed[] {
  const { sent } = asked;
  const { creation: made, business } = sent;
  if (!made) return [];
  const queue = moment.queues.get(sent.target ?? "");
  const service = moment.services.get(made.serviceId ?? "");
  const refusals: Allowed[] = [];
  let isRefused = false;
  const refuses = (chance: Chance, ...[status, code, ...fields]: Parameters<typeof refusal>) => {
    if (chance !== "never") refusals.push(refusal(status, code, ...fields));
    isRefused ||= chance === "surely";
  };
  refuses(queue ? chanceOf(queue.exists, false) : "surely", 404, "not_found");
  const isServiceMissing =
    made.serviceId !== null &&
    (!service || (service.exists.size === 1 && service.exists.has(false)));
  refuses(isServiceMissing ? "surely" : "never", 400, "invalid_request", "serviceId");
  if (service)
    refuses(service.exists.has(false) ? "maybe" : "never", 400, "invalid_request", "serviceId");
  refuses(chanceOf(service?.isActive, false), 400, "invalid_request", "serviceId");
  refuses(chanceOf(queue?.isActive, false), 409, "queue_unavailable");
  // A closed queue is reported as closed, paused or not.
  const isClosed = chanceOf(queue?.isActive, false) === "surely";
  refuses(isClosed ? "never" : chanceOf(queue?.isPaused, true), 409, "queue_paused");
  const { dailyTokenLimit: limit, createdToday } = business;
  const came = moment.newcomers.length;
  const isFull = limit !== null && createdToday >= limit;
  refuses(
    !isFull ? "never" : createdToday - came >= limit ? "surely" : "maybe",
    403,
    "plan_limit_reached",
  );
  const created: Allowed = { status: 201, fault: (answer) => createdFault(asked, moment, answer) };
  if (made.key === null) return isRefused ? refusals : [...refusals, created];

  const replayOf = (text: string, location: string | null): Allowed => ({
    ...{ status: 201, fault: (answer) => replayFault(answer, text, location) },
  });
  const rivals = moment.asked.filter(
    (other) => other !== asked && other.sent.creation?.key === made.key && reachedItsKey(other),
  );
  const twins = rivals.filter(({ sent }) => sent.creation?.print === made.print);
  const others = rivals.filter(({ sent }) => sent.creation?.print !== made.print);
  const inProgress = twins.some((twin) => twin.sent.server === sent.server)
    ? [refusal(409, "request_in_progress")]
    : [];
  const reuse = refusal(422, "idempotency_key_reuse");
  const kept = moment.receipts.get(made.key);
  if (kept)
    return kept.print === made.print
      ? [
          replayOf(kept.text, kept.location),
          ...inProgress,
          ...(process.env.NOWALK && others.length > 0 ? [reuse] : []),
        ]
      : [reuse, ...refusals];
  const replays = twins.flatMap(({ exchange: { answer } }) =>
    answer.status === 201 && !answer.headers.has("Idempotent-Replay")
      ? [replayOf(answer.text, answer.headers.get("Location"))]
      : [],
  );
  return [
    ...refusals,
    ...(isRefused ? [] : [created]),
    ...replays,
    ...inProgress,
    ...(others.length > 0 ? [reuse] : []),
  ];
}

/** Whether a creation came as far as its Idempotency-Key. */
function reachedItsKey({ sent, exchange: { answer } }: Asked): boolean {
  if (sent.faults.length > 0 || sent.isKeyInUrl) return false;
  if (answer.status === 201) return true;
  return [
    "not_found",
    "invalid_request",
    "queue_paused",
    "queue_unavailable",
    "plan_limit_reached",
    "idempotency_key_reuse",
    "request_in_progress",
  ].includes(answer.error.code);
}

function createdFault({ sent }: Asked, moment: Moment, answer: Answer): string | null {
  if (answer.headers.has("Idempotent-Replay")) return "it is a replay";
  const data = answer.data as EntryWithPosition;
  const person = moment.newcomers.find(({ id }) => id === data.id);
  if (!person) return "nobody came";
  if (!answer.header("Location").endsWith(`/v1/entries/${data.id}`))
    return "the Location names another entry";
  if (sent.creation?.queueId !== person.queueId) return "the entry is in another queue";
  const { id, customer, serviceId } = person;
  const { name, phone, serviceId: askedService } = sent.creation;
  const isEcho =
    customer.name === name &&
    customer.phone === phone.replaceAll(/\D/g, "") &&
    serviceId === askedService;
  if (!isEcho) return "it shows another name, phone or service";
  const untouched = {
    ...person,
    status: "WAITING",
    startedAt: null,
    completedAt: null,
    canceledAt: null,
  } as const;
  if (id !== data.id || !isShownAs(untouched, data))
    return `the entry is ${JSON.stringify(person)}`;
  return placeFault(moment, data, untouched);
}

function replayFault(answer: Answer, text: string, location: string | null): string | null {
  if (answer.headers.get("Idempotent-Replay") !== "true") return "it is no replay";
  if (answer.text !== text) return `the first answer was ${text}`;
  return answer.headers.get("Location") === location ? null : `the first Location was ${location}`;
}

/** Everyone who was, or came, in a line during the round, with the states they had. Null: not there yet. */
function everyone(
  moment: Moment,
): { readonly states: readonly Person[]; readonly isNew: boolean }[] {
  return [
    ...[...moment.people.values()].map(({ states }) => ({ states, isNew: false })),
    ...moment.newcomers.map((person) => ({ states: [person], isNew: true })),
  ];
}

/** What is wrong with the position and the wait of an entry; `person`: the state that it shows. */
function placeFault(
  moment: Moment,
  data: Entry & { readonly position?: number | null },
  person: Person,
): string | null {
  const { predictedWaitMinutes: wait } = data;
  if (person.status !== "WAITING") {
    return wait === null && (data.position ?? null) === null
      ? null
      : "somebody who does not wait has a place";
  }
  const isMine = (one: Person) => one.queueId === person.queueId && one.date === person.date;
  const isAhead = (one: Person) => {
    if (!isMine(one) || one.status !== "WAITING" || one.id === person.id) return false;
    return one.priority === person.priority ? one.tokenNumber < person.tokenNumber : one.priority;
  };
  const certain: Person[] = [];
  const inLine: Person[] = [];
  let possible = 0;
  let isSteady = true;
  for (const { states, isNew } of everyone(moment)) {
    const last = states.at(-1);
    if (!last || last.id === person.id) continue;
    const isStill = states.length === 1 && !(isNew && last.priority); // who has priority may come before or after
    if (!isStill && states.some(isMine)) isSteady = false;
    if (states.some(isAhead)) {
      if (isStill) certain.push(last);
      else possible += 1;
      if (!isStill && !isNew && states.every(isAhead)) {
        possible -= 1;
        certain.push(last);
      }
    }
    if (isMine(last)) inLine.push(last);
  }
  const least = certain.length + 1;
  const { position } = data;
  const isInRange =
    position === undefined ||
    (position !== null && position >= least && position <= least + possible);
  if (!isInRange) return `its position is from ${least} to ${least + possible}`;
  if (!isSteady || possible > 0) return null;
  const expected = waitBehind(certain, inLine);
  return wait === expected ? null : `its wait is ${expected}`;
}

function entryFault(
  moment: Moment,
  data: EntryWithPosition,
  states: readonly Person[],
): string | null {
  const fits = states.filter((one) => isShownAs(one, data));
  if (fits.length === 0) return `it was ${states.map((one) => JSON.stringify(one)).join(" then ")}`;
  const faults = fits.map((one) => placeFault(moment, data, one));
  return faults.includes(null) ? null : (faults[0] ?? null);
}

/** An item that a list can hold. `must`: whether it was there during the whole round. */
interface Listed<Item> {
  readonly place: Place;
  readonly id: string;
  readonly must: boolean;
  readonly fault: (item: Item) => string | null;
}

/** What is wrong with a page of a list. */
function pageFault<Item extends { readonly id: string }>(
  answer: Answer,
  limit: number,
  after: Place | null,
  candidates: readonly Listed<Item>[],
): string | null {
  const items = answer.data as Item[];
  const rest = candidates
    .filter(({ place }) => after === null || place > after)
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  for (const item of items) {
    const at = rest.findIndex(({ id }) => id === item.id);
    if (at === -1) return `${item.id} is not in the list, or is out of order`;
    const missed = rest.slice(0, at).find(({ must, id }) => must && id !== item.id);
    if (missed) return `${missed.id} at ${missed.place} is missed`;
    const faults = rest.filter(({ id }) => id === item.id).map(({ fault }) => fault(item));
    if (!faults.includes(null)) return `${item.id}: ${faults.join(" or ")}`;
    rest.splice(0, at + 1);
  }
  if (items.length > limit) return `it has ${items.length} items`;
  const missed = rest.find(({ must }) => must);
  if (answer.nextCursor === null)
    return missed ? `it ends before ${missed.id} at ${missed.place}` : null;
  return items.length === limit && rest.length > 0 ? null : "there is no next page";
}

function entriesFault({ sent }: Asked, moment: Moment, answer: Answer): string | null {
  const { target, date, status, limit, afterPlace } = sent;
  const isIn = (one: Person) =>
    one.queueId === target && one.date === date && (status === null || one.status === status);
  const candidates = everyone(moment).flatMap(({ states, isNew }): Listed<Entry>[] => {
    const there = states.filter(isIn);
    const places = [...new Set(there.map(({ tokenNumber }) => tokenNumber))];
    const must = !isNew && there.length === states.length && places.length === 1;
    return places.map((number) => {
      const id = there[0]?.id ?? "";
      const states = there.filter(({ tokenNumber }) => tokenNumber === number);
      const fault = (item: Entry) =>
        entryFault(moment, { ...item, position: undefined } as never, states);
      return { id, place: placeOfNumber(number), must, fault };
    });
  });
  return pageFault(answer, limit, afterPlace, candidates);
}

type ListedAppointment = Moment["appointments"][number];

function isAppointment(
  { appointment, statuses }: ListedAppointment,
  shown: AppointmentAnswer,
): boolean {
  const { id, date, slotTime, durationMinutes, serviceId, customer } = appointment;
  const expected = {
    id,
    date,
    slotTime,
    durationMinutes,
    status: shown.status,
    serviceId,
    customer,
  };
  return statuses.has(shown.status) && JSON.stringify(expected) === JSON.stringify(shown);
}

function appointmentsFault(
  { sent }: Asked,
  { appointments }: Moment,
  answer: Answer,
): string | null {
  const candidates = appointments
    .filter(({ appointment }) => appointment.date === sent.date)
    .map((one): Listed<AppointmentAnswer> => {
      const { appointment, canBeGone } = one;
      const fault = (item: AppointmentAnswer) =>
        isAppointment(one, item) ? null : `it was ${JSON.stringify(appointment)}`;
      return { id: appointment.id, place: placeOfSlot(appointment), must: !canBeGone, fault };
    });
  return pageFault(answer, sent.limit, sent.afterPlace, candidates);
}

function summaryFault(
  moment: Moment,
  data: QueueSummary,
  queueId: string,
  date: string,
): string | null {
  const flags = flagsFault(moment, data);
  if (flags) return flags;
  if (data.date !== date) return `the day is ${date}`;
  const people = everyone(moment).filter(({ states }) =>
    states.some((one) => one.queueId === queueId && one.date === date),
  );
  const names = {
    waiting: "WAITING",
    inService: "IN_SERVICE",
    completed: "COMPLETED",
    canceled: "CANCELED",
    noShow: "NO_SHOW",
  } as const;
  for (const [name, status] of Object.entries(names)) {
    const is = (one: Person) =>
      one.queueId === queueId && one.date === date && one.status === status;
    const most = people.filter(({ states }) => states.some(is)).length;
    const least = people.filter(({ states, isNew }) => !isNew && states.every(is)).length;
    const count = data.counts[name as keyof typeof names];
    if (count < least || count > most) return `${name} is from ${least} to ${most}`;
  }
  const isQuiet = people.every(({ states, isNew }) => !isNew && states.length === 1);
  const expected = averageWait(people.flatMap(({ states }) => states));
  return isQuiet && data.averageWaitMinutes !== expected
    ? `averageWaitMinutes is ${expected}`
    : null;
}

function flagsFault({ queues }: Moment, shown: QueueAnswer): string | null {
  const found = queues.get(shown.id);
  if (!found) return `there is no queue ${shown.id}`;
  const { queue, isActive, isPaused } = found;
  const isRight =
    shown.name === queue.name &&
    isActive.has(shown.isActive) &&
    isPaused.has(shown.isTokenCreationPaused);
  return isRight ? null : `the queue was ${JSON.stringify(queue)}`;
}

function queuesFault(moment: Moment, shown: readonly QueueAnswer[]): string | null {
  for (const { queue, exists } of moment.queues.values()) {
    const count = shown.filter(({ id }) => id === queue.id).length;
    if (!exists.has(count === 1)) return `${queue.name} is there ${count} times`;
  }
  return shown.map((queue) => flagsFault(moment, queue)).find((fault) => fault !== null) ?? null;
}

function servicesFault({ services }: Moment, shown: readonly ServiceAnswer[]): string | null {
  for (const { service, isActive, exists } of services.values()) {
    const { id, name, price, baseTimeMinutes } = service;
    const found = shown.filter((one) => one.id === id);
    const canBeOff = isActive.has(false) || exists.has(false);
    const canBeOn = isActive.has(true) && exists.has(true);
    if (found.length === 0 ? !canBeOff : found.length > 1 || !canBeOn)
      return `${name} is there ${found.length} times`;
    if (
      found[0] &&
      JSON.stringify(found[0]) !== JSON.stringify({ id, name, price, baseTimeMinutes })
    )
      return `${name} was ${JSON.stringify(service)}`;
  }
  return shown.every(({ id }) => services.has(id))
    ? null
    : "it lists a service of another business";
}

function meFault({ sent: { business, key: name } }: Asked, shown: Me): string | null {
  if (name === "none" || name === "garbage") return "there is no key";
  const key = business.keys[name];
  const isRight =
    shown.business.name === business.name &&
    shown.business.slug === business.slug &&
    shown.business.timezone === business.timezone &&
    shown.key.id === key.text.split("_")[2] &&
    shown.key.scopes.toSorted().join() === key.scopes.toSorted().join() &&
    (key.expiresAt === null || Date.parse(shown.key.expiresAt ?? "") === key.expiresAt) &&
    shown.limits.requestsPerMinute === key.requestsPerMinute &&
    shown.limits.writesPerMinute === key.writesPerMinute;
  return isRight ? null : `the key is ${JSON.stringify({ ...key, text: "hidden" })}`;
}
