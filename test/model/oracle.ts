import { isDeepStrictEqual } from "node:util";
import type { Entry, EntryWithPosition, Me, QueueSummary } from "@queue-api/contract";
import type { Answer } from "../support/answer.js";
import { averageWait, isAhead, isShown, nowhere, waitBehind } from "./line.js";
import { type Creation, type Exchange, placeOf, printOf, type Sent } from "./requests.js";
import type { Appointment, Business, Person, Queue } from "./world.js";

/*
 * The oracle: what the document says that a request gets, whoever stands beside it. It is written as if one thing happened at
 * a time. Where something changed in the round, it chooses among what was so, and every choice is allowed.
 */

/** What was so in one business while a round ran. When nothing runs, before and after are the same. */
export interface Moment {
  readonly before: Business;
  readonly after: Business;
  /** The states in which each person can have been, the last one at the end. Who came was nowhere before. */
  readonly people: ReadonlyMap<string, readonly Person[]>;
  /** All requests of the case until the end of the round. */
  readonly exchanges: readonly Exchange[];
}

/** An answer that is allowed. `code`: that of a refusal. `fault`: what is wrong with the content, or null. */
interface Expected {
  readonly status: number;
  readonly code: string | null;
  readonly fields: readonly string[];
  readonly fault: (answer: Answer) => string | null;
}

const refusal = (status: number, code: string, ...fields: string[]): Expected => {
  return { status, code, fields, fault: () => null };
};
const success = (status: number, fault: Expected["fault"]): Expected => {
  return { status, code: null, fields: [], fault };
};
/** A 200 with exactly this. */
const exactly = (data: unknown) =>
  success(200, (answer) =>
    isDeepStrictEqual(answer.data, data) ? null : `it is not ${JSON.stringify(data)}`,
  );

type Choose = <Value>(...values: readonly Value[]) => Value;

/** The results of a function for everything that it can choose. */
export function everyResult<Result>(
  run: (choose: Choose) => Result,
  chosen: readonly number[] = [],
): Result[] {
  const path = [...chosen];
  const others: number[][] = [];
  let choices = 0;
  const choose: Choose = (...values) => {
    const different = [...new Set(values)];
    if (choices === path.length) {
      for (let other = 1; other < different.length; other++) others.push([...path, other]);
      path.push(0);
    }
    return different[path[choices++] ?? 0] as (typeof values)[number];
  };
  const result = run(choose);
  return [result, ...others.flatMap((other) => everyResult(run, other))];
}

/** The code of a refusal, or null. */
const codeOf = (answer: Answer) => (answer.status >= 400 ? answer.error.code : null);

/** What is wrong with the answer to a request, or null. */
export function judge(exchange: Exchange, moment: Moment): string | null {
  const { sent, answer } = exchange;
  const allowed = everyResult((choose) => respond(exchange, moment, choose));
  const faults = new Set(allowed.map((expected) => mismatch(expected, answer)));
  if (faults.has(null)) return null;
  const { business, key, server, method, path, headers, body } = sent;
  const replayed = answer.headers.has("Idempotent-Replay") ? "(replay) " : "";
  return `${method} ${path} ${body ?? ""} ${JSON.stringify(headers)}, process ${server}, key ${key} of ${business.slug}
  was answered ${answer.status} ${replayed}${answer.text}
  allowed: ${[...faults].join("\n    or ")}`;
}

function mismatch({ status, code, fields, fault }: Expected, answer: Answer): string | null {
  const isSame = status === answer.status && code === codeOf(answer);
  if (!isSame) return `${status} ${code ?? "with the right content"}`;
  const named = status >= 400 && answer.error.details ? answer.wrongFields : [];
  const lower = new Set(named.map((field) => field.toLowerCase()));
  const expected = new Set(fields.map((field) => field.toLowerCase()));
  return isDeepStrictEqual(lower, expected) ? fault(answer) : `${status} ${code} for ${fields}`;
}

/** The answer to a request, by the checks in the order of the service. */
function respond(exchange: Exchange, moment: Moment, choose: Choose): Expected {
  const { sent, sentAt, answeredAt } = exchange;
  const { before, after } = moment;
  const key = before.keys[sent.key];
  const ends = key?.expiresAt ? Date.parse(key.expiresAt) : Number.POSITIVE_INFINITY;
  const isRevoked = choose(key?.revoked, after.keys[sent.key]?.revoked);
  // The clock of the service can be a few milliseconds apart.
  const isExpired = choose(sentAt - 5 > ends, answeredAt + 5 > ends);
  if (!key || isRevoked || isExpired) return refusal(401, "unauthorized");
  if (!choose(before.apiAccess, after.apiAccess)) return refusal(403, "api_access_disabled");
  if (sent.key === "elsewhere") return refusal(403, "ip_not_allowed");
  // Whether its windows were full is a question to all requests with the key; see `windowFaults`.
  if (sent.key === "small" && choose(true, false)) return refusal(429, "rate_limited");
  const { scope, faults } = sent;
  if (scope !== null && !key.scopes.includes(scope)) {
    const fault = ({ error }: Answer) =>
      error.required?.join() === scope ? null : "it requires another scope";
    return { ...refusal(403, "insufficient_scope"), fault };
  }
  const unread = faults.find(({ field }) => field === undefined);
  if (unread) return refusal(unread.status, unread.code);
  const fields = faults.flatMap(({ field }) => field ?? []);
  if (fields.length > 0) return refusal(400, "invalid_request", ...fields);
  return endpoint(exchange, moment, choose);
}

/** Whether a request counts in the windows of its key. */
export function isCharged({ answer }: Exchange): boolean {
  const uncharged = ["unauthorized", "api_access_disabled", "ip_not_allowed", "rate_limited"];
  return !uncharged.includes(codeOf(answer) ?? "");
}

/** An item with an id before the round or after it; undefined if there is none. */
function either<Item extends { readonly id: string }>(
  choose: Choose,
  earlier: readonly Item[],
  later: readonly Item[],
  id: string | null,
): Item | undefined {
  const find = (items: readonly Item[]) => items.find((item) => item.id === id);
  return choose(find(earlier), find(later));
}

const notFound = refusal(404, "not_found");

function endpoint(exchange: Exchange, moment: Moment, choose: Choose): Expected {
  const { sent } = exchange;
  const { before, after, people } = moment;
  const { target } = sent;
  switch (sent.op) {
    case "me":
      return success(200, ({ data }) => {
        const { business, key } = data as Me;
        const isOwn = business.slug === before.slug && key.name === sent.key;
        return isOwn ? null : "it is of another key";
      });
    case "services": {
      const all = before.services.flatMap(
        ({ id }) => either(choose, before.services, after.services, id) ?? [],
      );
      const shown = all.filter(({ active }) => active);
      return exactly(shown.map(({ ref: _, active: __, ...service }) => service));
    }
    case "queues": {
      const all = before.queues.flatMap(
        ({ id }) => either(choose, before.queues, after.queues, id) ?? [],
      );
      return exactly(all.map(shownQueue));
    }
    case "queue": {
      const queue = either(choose, before.queues, after.queues, target);
      return queue
        ? success(200, ({ data }) => summaryFault(sent, queue, moment, data as QueueSummary))
        : notFound;
    }
    case "entries":
      if (!either(choose, before.queues, after.queues, target)) return notFound;
      if (sent.hasStrayCursor) return refusal(400, "invalid_request", "cursor");
      return success(200, (answer) => entriesFault(sent, moment, answer));
    case "create":
      return creation(exchange, moment, choose);
    case "entry": {
      const states = people.get(target ?? "");
      if (!states) return notFound;
      return success(200, ({ data }) => entryFault(moment, data as EntryWithPosition, states));
    }
    case "cancel": {
      const states = people.get(target ?? "");
      if (!states) return notFound;
      if (choose(...states).status !== "WAITING") return refusal(409, "invalid_state");
      const canceled = states.filter(({ status }) => status === "CANCELED");
      return success(200, ({ data }) =>
        canceled.some((one) => isShown(one, data as Entry)) ? null : "it is not the canceled entry",
      );
    }
    case "appointments":
      if (sent.hasStrayCursor) return refusal(400, "invalid_request", "cursor");
      return appointmentsPage(sent, moment, choose);
    case "appointment": {
      const found = either(choose, before.appointments, after.appointments, target);
      return found ? exactly(shownAppointment(found, moment, choose)) : notFound;
    }
  }
}

/** Why a queue gives nobody a token, or null. */
export function refuseToken(
  { queueId, serviceId }: Pick<Creation, "queueId" | "serviceId">,
  { before, after }: Moment,
  choose: Choose,
): Expected | null {
  const queue = either(choose, before.queues, after.queues, queueId);
  const service = either(choose, before.services, after.services, serviceId);
  const isFull = ({ dailyTokenLimit: limit, createdToday }: Business) =>
    limit !== null && createdToday >= limit;
  if (!queue) return notFound;
  if (serviceId !== null && !service?.active) return refusal(400, "invalid_request", "serviceId");
  if (!queue.isActive) return refusal(409, "queue_unavailable");
  if (queue.isTokenCreationPaused) return refusal(409, "queue_paused");
  return choose(isFull(before), isFull(after)) ? refusal(403, "plan_limit_reached") : null;
}

/** What a creation gets. Only the requests with its Idempotency-Key can change that. */
function creation(exchange: Exchange, moment: Moment, choose: Choose): Expected {
  const { creation } = exchange.sent;
  if (!creation) throw new Error("a creation names what it creates");
  const { key } = creation;
  const print = printOf(creation);
  if (key !== null) {
    const kept = choose(moment.before.receipts.get(key), moment.after.receipts.get(key));
    if (kept) return kept.print === print ? replayOf(kept.answer) : keyReuse;
    const running = choose(null, ...moment.exchanges.filter((one) => isRival(one, exchange)));
    const first = running?.sent.creation;
    if (first) return printOf(first) === print ? refusal(409, "request_in_progress") : keyReuse;
  }
  const created = success(201, (answer) => createdFault(exchange.sent, moment, answer));
  return refuseToken(creation, moment, choose) ?? created;
}

const keyReuse = refusal(422, "idempotency_key_reuse");

/** Whether another creation with the same Idempotency-Key can have run at the same time in the same process. */
function isRival(other: Exchange, one: Exchange): boolean {
  const isSameKey =
    other.sent.business.index === one.sent.business.index &&
    other.sent.creation?.key === one.sent.creation?.key &&
    other.sent.faults.length === 0;
  const isAtOnce = other.sentAt <= one.answeredAt && one.sentAt <= other.answeredAt;
  return other !== one && isSameKey && isAtOnce && other.url === one.url;
}

function createdFault({ target }: Sent, moment: Moment, answer: Answer): string | null {
  if (answer.headers.has("Idempotent-Replay")) return "it is a replay";
  const data = answer.data as EntryWithPosition;
  const [earlier, person] = moment.people.get(data.id) ?? [];
  if (earlier?.queueId !== nowhere || person?.queueId !== target) return "nobody came to the queue";
  const isLocated = answer.header("Location").endsWith(`/v1/entries/${data.id}`);
  return isLocated ? entryFault(moment, data, [person]) : "the Location names another entry";
}

/** The first answer again: the same bytes. The address before the path is that of the process. */
function replayOf(first: Answer): Expected {
  const pathOf = (answer: Answer) => new URL(answer.header("Location")).pathname;
  return success(201, (answer) => {
    if (answer.headers.get("Idempotent-Replay") !== "true") return "it is no replay";
    const isSame = answer.text === first.text && pathOf(answer) === pathOf(first);
    return isSame ? null : `the first answer was ${first.text}`;
  });
}

/** What is wrong with an entry of a response. `states`: those that its person can have been in. */
function entryFault(
  moment: Moment,
  data: Entry | EntryWithPosition,
  states: readonly Person[],
): string | null {
  const faults = states
    .filter((state) => isShown(state, data))
    .map((state) => placeFault(moment, data, state));
  if (faults.includes(null)) return null;
  return faults[0] ?? `it was ${states.map((state) => JSON.stringify(state)).join(" then ")}`;
}

/** What is wrong with the position and the wait of an entry, which shows this state of a person. */
function placeFault(
  { people }: Moment,
  { predictedWaitMinutes: wait, ...data }: Entry | EntryWithPosition,
  person: Person,
): string | null {
  const position = "position" in data ? data.position : undefined;
  if (person.status !== "WAITING")
    return wait === null && position == null ? null : "it has a place in the line";
  const isAheadNow = (one: Person) => isAhead(one, person);
  // Numbers are given in order, so those with a lower one had come.
  const hadCome = (one: Person) => one.queueId !== nowhere || one.tokenNumber > person.tokenNumber;
  const others = [...people.values()]
    .filter(([one]) => one?.id !== person.id)
    .map((states) => states.filter(hadCome));
  const first = 1 + others.filter((states) => states.every(isAheadNow)).length;
  const last = 1 + others.filter((states) => states.some(isAheadNow)).length;
  if (position !== undefined && (position === null || position < first || position > last))
    return `its position is from ${first} to ${last}`;
  const isInLine = (one: Person) => one.queueId === person.queueId && one.date === person.date;
  const counts = (one: Person) => isAheadNow(one) || (isInLine(one) && one.status !== "WAITING");
  if (others.some((states) => states.length > 1 && states.some(counts))) return null;
  const line = others.flat().filter(isInLine);
  const expected = waitBehind(line.filter(isAheadNow), line);
  return wait === expected ? null : `its wait is ${expected}`;
}

/** What is wrong with a page of entries: one that is missed, out of order or different, or a wrong end. */
function entriesFault({ business, target, query, after }: Sent, moment: Moment, answer: Answer) {
  const { date = business.today, limit = "50", status } = query;
  const isListed = (one: Person) =>
    one.queueId === target &&
    one.date === date &&
    (status === undefined || one.status === status) &&
    (after === null || placeOf(one) > after);
  const items = answer.data as Entry[];
  let end = "";
  for (const item of items) {
    if (placeOf(item) <= end) return `${item.token} is out of order`;
    end = placeOf(item);
    const states = moment.people.get(item.id)?.filter(isListed) ?? [];
    const fault = entryFault(moment, item, states);
    if (fault !== null) return `${item.token} is not right: ${fault}`;
  }
  const isLast = answer.nextCursor === null;
  const isEnd = isLast ? items.length <= Number(limit) : items.length === Number(limit);
  if (!isEnd) return `it has ${items.length} items`;
  const isMissed = ([id, states]: [string, readonly Person[]]) =>
    states.every(isListed) &&
    new Set(states.map(placeOf)).size === 1 &&
    states.some((state) => isLast || placeOf(state) < end) &&
    !items.some((item) => item.id === id);
  const missed = [...moment.people].find(isMissed);
  if (missed) return `it misses ${JSON.stringify(missed)}`;
  const isBeyond = (one: Person) => isListed(one) && placeOf(one) > end;
  const hasMore = [...moment.people.values()].some((states) => states.some(isBeyond));
  return isLast || hasMore ? null : "there is no next page";
}

const appointmentStatus = {
  WAITING: "CHECKED_IN",
  IN_SERVICE: "IN_SERVICE",
  COMPLETED: "COMPLETED",
  CANCELED: "CANCELLED",
  NO_SHOW: "NO_SHOW",
} as const;

/** An appointment as responses show it. Its status follows the person who came for it. */
function shownAppointment(
  { personId, ...appointment }: Appointment,
  { people }: Moment,
  choose: Choose,
) {
  const states = people.get(personId ?? "") ?? [];
  const status = choose(...states.map(({ status }) => status));
  return status ? { ...appointment, status: appointmentStatus[status] } : appointment;
}

function appointmentsPage(sent: Sent, moment: Moment, choose: Choose): Expected {
  const { date = sent.business.today, limit = "50" } = sent.query;
  const { before, after } = moment;
  const all = before.appointments
    .filter((one) => one.date === date && (sent.after === null || placeOf(one) > sent.after))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    .flatMap(({ id }) => either(choose, before.appointments, after.appointments, id) ?? [])
    .map((one) => shownAppointment(one, moment, choose));
  const { fault } = exactly(all.slice(0, Number(limit)));
  return success(200, (answer) => {
    const isLast = answer.nextCursor === null;
    return isLast === all.length <= Number(limit) ? fault(answer) : "it ends at the wrong place";
  });
}

const shownQueue = ({ id, name, isActive, isTokenCreationPaused }: Queue) => {
  return { id, name, isActive, isTokenCreationPaused };
};

const countNames = {
  waiting: "WAITING",
  inService: "IN_SERVICE",
  completed: "COMPLETED",
  canceled: "CANCELED",
  noShow: "NO_SHOW",
} as const;

function summaryFault(
  { query, business }: Sent,
  queue: Queue,
  { people }: Moment,
  { counts, averageWaitMinutes, ...shown }: QueueSummary,
): string | null {
  const { date = business.today } = query;
  const expected = { ...shownQueue(queue), date };
  if (!isDeepStrictEqual(shown, expected)) return `the queue is ${JSON.stringify(expected)}`;
  const isIn = (one: Person) => one.queueId === queue.id && one.date === date;
  const all = [...people.values()].filter((states) => states.some(isIn));
  for (const [name, status] of Object.entries(countNames)) {
    const is = (one: Person) => isIn(one) && one.status === status;
    const min = all.filter((states) => states.every(is)).length;
    const max = all.filter((states) => states.some(is)).length;
    const count = counts[name as keyof typeof counts];
    if (count < min || count > max) return `${name} is from ${min} to ${max}`;
  }
  if (all.some((states) => states.length > 1)) return null;
  const average = averageWait(all.flat());
  return averageWaitMinutes === average ? null : `averageWaitMinutes is ${average}`;
}
