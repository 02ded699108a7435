import type { Entry, EntryWithPosition, Me, QueueSummary } from "@queue-api/contract";
import type { Answer } from "../support/answer.js";
import { averageWait, isShownAs, waitBehind } from "./line.js";
import { type Asked, type Moment, shownAppointment } from "./moment.js";
import { placeOf, printOf } from "./requests.js";
import type { Business, Exchange, Person, Queue, World } from "./world.js";

/*
 * The oracle: what the document allows as the answer to one request, whoever stands beside it. The refusals are in the
 * order in which the service checks them. One that must happen hides the later ones.
 */

/** An answer that is allowed: a refusal, or a success. `fault` says what is wrong with its content; null for nothing. */
interface Allowed {
  readonly status: number;
  readonly code?: string;
  readonly fields?: readonly string[];
  readonly fault?: (answer: Answer) => string | null;
}

/** What is wrong with the answer to a request, or null. */
export function judge(asked: Asked, moment: Moment, world: World): string | null {
  const { sent, exchange } = asked;
  const { answer } = exchange;
  const allowed = allowedFor(asked, moment, world);
  const faults = allowed
    .filter(({ status, code }) => status === answer.status && code === codeOf(exchange))
    .map(({ fields, fault }) => {
      const wrong = fields && answer.error.details ? answer.wrongFields : [];
      const stray = wrong.filter(
        (field) => !fields?.some((one) => one.toLowerCase() === field.toLowerCase()),
      );
      return stray.length > 0 ? `it names ${stray}` : (fault?.(answer) ?? null);
    });
  if (faults.includes(null)) return null;
  const list = allowed.map(({ status, code = "", fields = [] }) => `${status} ${code} ${fields}`);
  const { method, path, body, headers, ask, business } = sent;
  return `${method} ${path} ${body ?? ""} ${JSON.stringify(headers)}, process ${sent.server}, key ${ask.key} of ${business.slug}
  was answered ${answer.status} ${answer.headers.has("Idempotent-Replay") ? "(replay) " : ""}${answer.text}
  allowed: ${list.join(", ")}
  ${faults.join("; ")}`;
}

type Chance = "never" | "maybe" | "surely";

/** How sure something is that was so before the round, after it, or both. */
function chanceOf({ before, after }: Moment, isSo: (business: Business) => boolean): Chance {
  if (isSo(before)) return isSo(after) ? "surely" : "maybe";
  return isSo(after) ? "maybe" : "never";
}

const refusal = (status: number, code: string, ...fields: string[]): Allowed => {
  return { status, code, ...(fields.length > 0 && { fields }) };
};
const ok = (fault: (answer: Answer) => string | null): Allowed => ({ status: 200, fault });

function allowedFor(asked: Asked, moment: Moment, world: World): Allowed[] {
  const { sent, exchange } = asked;
  const { op, key: name } = sent.ask;
  const all: Allowed[] = [];
  const refuses = (chance: Chance, status: number, code: string) => {
    if (chance !== "never") all.push(refusal(status, code));
    return chance === "surely";
  };
  if (sent.ask.extra === "key=") return [refusal(400, "invalid_request")];
  if (op === "index" && sent.faults.length === 0) return [{ status: 200 }];
  if (op !== "index") {
    if (refuses(isUnauthorized(asked, moment), 401, "unauthorized")) return all;
    if (
      refuses(
        chanceOf(moment, ({ apiAccess }) => !apiAccess),
        403,
        "api_access_disabled",
      )
    )
      return all;
    if (name === "elsewhere") return [...all, refusal(403, "ip_not_allowed")];
    if (refuses(isOverLimit(exchange, world), 429, "rate_limited")) return all;
    if (op === "nothing") return [...all, refusal(404, "not_found")];
    const { scopes = [] } = moment.before.keys[name] ?? {};
    if (sent.scope !== "" && !(scopes as readonly string[]).includes(sent.scope)) {
      const names = ({ error }: Answer) =>
        error.required?.join() === sent.scope ? null : "it requires another scope";
      return [...all, { ...refusal(403, "insufficient_scope"), fault: names }];
    }
  }
  if (sent.faults.length === 0) return [...all, ...endpoint(asked, moment)];
  const isNamed = sent.faults.every(({ field }) => field !== null);
  const fields = isNamed ? sent.faults.map(({ field }) => field ?? "") : [];
  all.push(...sent.faults.map(({ status, code }) => refusal(status, code, ...fields)));
  if (!sent.faults.every(({ isLate }) => isLate)) return all;
  return [...all, ...endpoint(asked, moment).filter(({ status }) => status === 404)];
}

function isUnauthorized({ sent, exchange }: Asked, moment: Moment): Chance {
  const { key: name } = sent.ask;
  const revoked = chanceOf(moment, ({ keys }) => keys[name]?.isRevoked ?? true);
  const { expiresAt = null } = moment.before.keys[name] ?? {};
  if (expiresAt === null || exchange.answeredAt < expiresAt - 5) return revoked;
  return exchange.sentAt > expiresAt + 5 ? "surely" : "maybe";
}

/** The code of a refusal. */
const codeOf = ({ answer }: Exchange) => (answer.status >= 400 ? answer.error.code : undefined);

/** Whether a request is answered before its key is looked at: it has a key in its URL, or needs none. */
export const isUnread = ({ path }: Exchange) =>
  path.includes("svc_live") || path.split("?")[0] === "/v1";

/** Whether a request was charged to the windows of its key. */
export function isCharged(one: Exchange): boolean {
  const isUncharged = ["unauthorized", "rate_limited", "api_access_disabled", "ip_not_allowed"];
  return !isUnread(one) && !isUncharged.includes(codeOf(one) ?? "");
}

function isOverLimit(one: Exchange, { businesses, exchanges, startedAt }: World): Chance {
  const key = businesses[one.business]?.keys[one.key];
  if (!key || one.key !== "small") return "never";
  const isOfKey = (other: Exchange) =>
    other !== one && other.business === one.business && other.key === one.key;
  const charged = exchanges.filter((other) => isOfKey(other) && isCharged(other));
  const isFull = (counted: readonly Exchange[]) => {
    const writes = counted.filter(({ method }) => method === "POST").length;
    return (
      counted.length >= key.requestsPerMinute ||
      (one.method === "POST" && writes >= key.writesPerMinute)
    );
  };
  const isSure = isFull(charged.filter(({ answeredAt }) => answeredAt < one.sentAt));
  if (isSure && Date.now() - startedAt < 55_000) return "surely";
  return isFull(charged.filter(({ sentAt }) => sentAt <= one.answeredAt)) ? "maybe" : "never";
}

function endpoint(asked: Asked, moment: Moment): Allowed[] {
  const { before, after, people } = moment;
  const { ask, target, date } = asked.sent;
  const notFound = refusal(404, "not_found");
  switch (ask.op) {
    case "me":
      return [ok(({ data }) => meFault(before, ask.key, data as Me))];
    case "services":
      return [ok((answer) => listFault(answer, 1e6, null, listedOf(moment, shownServices)))];
    case "queues":
      return [ok((answer) => listFault(answer, 1e6, null, listedOf(moment, shownQueues)))];
    case "queue":
    case "entries": {
      const gone = chanceOf(moment, ({ queues }) => !queues.some(({ id }) => id === target));
      const found = ok((answer) =>
        ask.op === "entries"
          ? entriesFault(asked, moment, answer)
          : summaryFault(moment, answer.data as QueueSummary, target ?? "", date),
      );
      return [...(gone === "never" ? [] : [notFound]), ...(gone === "surely" ? [] : [found])];
    }
    case "entry": {
      const states = people.get(target ?? "");
      return [
        states ? ok(({ data }) => entryFault(moment, data as EntryWithPosition, states)) : notFound,
      ];
    }
    case "cancel": {
      const states = people.get(target ?? "");
      if (!states) return [notFound];
      const canceled = states.filter(({ status }) => status === "CANCELED");
      const isRefusable = states.some(({ status }) => status !== "WAITING");
      const done = ok(({ data }) =>
        canceled.some((one) => isShownAs(one, data as Entry))
          ? null
          : "it is not the canceled entry",
      );
      return [done, ...(isRefusable ? [refusal(409, "invalid_state")] : [])];
    }
    case "appointments":
      return [
        ok((answer) =>
          listFault(answer, asked.sent.limit, asked.sent.after, listedAppointments(moment, date)),
        ),
      ];
    case "appointment": {
      const isThere = ({ appointments }: Business) => appointments.some(({ id }) => id === target);
      const found = ok((answer) => {
        const one = listedAppointments(moment, null).find(({ id }) => id === target);
        return one ? one.fault(answer.data as { id: string }) : "there is none";
      });
      return [...(isThere(before) ? [found] : []), ...(isThere(after) ? [] : [notFound])];
    }
    case "create":
      return creation(asked, moment);
    default:
      throw new Error(`no answer is known for ${ask.op}`);
  }
}

/** What a creation may get. A replay and a refusal depend on what else its key was used for, and nothing else does. */
function creation(asked: Asked, moment: Moment): Allowed[] {
  const { creation: made, server } = asked.sent;
  if (!made) return [];
  const all: Allowed[] = [];
  let isRefused = false;
  const refuses = (
    isSo: (business: Business) => boolean,
    ...[status, code, ...fields]: Parameters<typeof refusal>
  ) => {
    const chance = chanceOf(moment, isSo);
    if (chance !== "never") all.push(refusal(status, code, ...fields));
    isRefused ||= chance === "surely";
  };
  const queueIn = ({ queues }: Business) => queues.find(({ id }) => id === made.queueId);
  const isOffered = ({ services }: Business) =>
    services.some(({ id, active }) => id === made.serviceId && active);
  refuses((business) => !queueIn(business), 404, "not_found");
  refuses(
    (business) => made.serviceId !== null && !isOffered(business),
    400,
    "invalid_request",
    "serviceId",
  );
  refuses((business) => queueIn(business)?.isActive === false, 409, "queue_unavailable");
  // A closed queue is reported as closed, paused or not.
  refuses(
    (business) => !!queueIn(business)?.isActive && !!queueIn(business)?.isTokenCreationPaused,
    409,
    "queue_paused",
  );
  const isFull = ({ dailyTokenLimit: limit, createdToday }: Business) =>
    limit !== null && createdToday >= limit;
  refuses(isFull, 403, "plan_limit_reached");
  if (!isRefused) all.push({ status: 201, fault: (answer) => createdFault(asked, moment, answer) });
  if (made.key === null) return all;

  const rivals = moment.asked.filter(
    (other) => other !== asked && other.sent.creation?.key === made.key && isKeyUsed(other),
  );
  const isTwin = ({ sent: { creation } }: Asked) =>
    creation !== null && printOf(creation) === printOf(made);
  const twins = rivals.filter(isTwin);
  const reuse = refusal(422, "idempotency_key_reuse");
  const isInProgress = twins.some(({ sent }) => sent.server === server);
  const inProgress = isInProgress ? [refusal(409, "request_in_progress")] : [];
  const kept = moment.before.receipts.get(made.key);
  if (kept && kept.print !== printOf(made))
    return [reuse, ...inProgress, ...all.filter(({ status }) => status !== 201)];
  if (kept) return [replayOf(kept.answer), ...inProgress];
  const first = twins.find(
    ({ exchange: { answer } }) => answer.status === 201 && !answer.headers.has("Idempotent-Replay"),
  );
  if (first) all.push(replayOf(first.exchange.answer));
  return [...all, ...inProgress, ...(rivals.length > twins.length ? [reuse] : [])];
}

/** Whether a creation came as far as its Idempotency-Key. */
function isKeyUsed({ sent, exchange }: Asked): boolean {
  const earlier = [
    "unauthorized",
    "api_access_disabled",
    "ip_not_allowed",
    "rate_limited",
    "insufficient_scope",
  ];
  return sent.faults.length === 0 && !earlier.includes(codeOf(exchange) ?? "");
}

function createdFault({ sent }: Asked, moment: Moment, answer: Answer): string | null {
  if (answer.headers.has("Idempotent-Replay")) return "it is a replay";
  const data = answer.data as EntryWithPosition;
  const [person] = moment.newcomers.has(data.id) ? (moment.people.get(data.id) ?? []) : [];
  if (person?.queueId !== sent.creation?.queueId || !person) return "nobody came to this queue";
  if (!answer.header("Location").endsWith(`/v1/entries/${data.id}`))
    return "the Location names another entry";
  return entryFault(moment, data, [person]);
}

/** The answer again: the same bytes. The address before the path is that of the process. */
function replayOf(first: Answer): Allowed {
  const pathOf = (answer: Answer) => new URL(answer.header("Location")).pathname;
  return {
    status: 201,
    fault: (answer) => {
      if (answer.headers.get("Idempotent-Replay") !== "true") return "it is no replay";
      return answer.text === first.text && pathOf(answer) === pathOf(first)
        ? null
        : `the first answer was ${first.text}`;
    },
  };
}

/** What is wrong with the position and the wait of an entry. `person`: the state that it shows. */
function placeFault(
  moment: Moment,
  data: Entry & { readonly position?: number | null },
  person: Person,
): string | null {
  const { predictedWaitMinutes: wait, position } = data;
  if (person.status !== "WAITING")
    return wait === null && (position ?? null) === null ? null : "it has a place in the line";
  const isInLine = (one: Person) => one.queueId === person.queueId && one.date === person.date;
  const isAhead = (one: Person) => {
    const isBefore =
      one.priority === person.priority ? one.tokenNumber < person.tokenNumber : one.priority;
    return isInLine(one) && one.status === "WAITING" && isBefore;
  };
  const ahead: Person[] = [];
  const line: Person[] = [];
  let possible = 0;
  let isSteady = true;
  for (const [id, states] of moment.people) {
    const last = states.at(-1);
    if (!last || id === person.id) continue;
    // Who comes has a later place, except with priority.
    const isChanged = states.length > 1 || (moment.newcomers.has(id) && last.priority);
    if (isChanged && states.some(isInLine)) isSteady = false;
    if (states.every(isAhead) && !(isChanged && moment.newcomers.has(id))) ahead.push(last);
    else if (states.some(isAhead)) possible += 1;
    if (isInLine(last)) line.push(last);
  }
  const first = ahead.length + 1;
  const isInRange =
    position === undefined ||
    (position !== null && position >= first && position <= first + possible);
  if (!isInRange) return `its position is from ${first} to ${first + possible}`;
  const expected = waitBehind(ahead, line);
  return isSteady && wait !== expected ? `its wait is ${expected}` : null;
}

function entryFault(
  moment: Moment,
  data: Entry & { position?: number | null },
  states: readonly Person[],
): string | null {
  const faults = states
    .filter((one) => isShownAs(one, data))
    .map((one) => placeFault(moment, data, one));
  if (faults.includes(null)) return null;
  return faults[0] ?? `it was ${states.map((one) => JSON.stringify(one)).join(" then ")}`;
}

/** An item that a list can hold. `must`: whether it was there during the whole round. */
interface Listed {
  readonly id: string;
  readonly place: string;
  readonly must: boolean;
  readonly fault: (item: { readonly id: string }) => string | null;
}

/** What is wrong with a page of a list: an item that is missed, out of order or different, or a wrong end. */
function listFault(
  answer: Answer,
  limit: number,
  after: string | null,
  listed: readonly Listed[],
): string | null {
  const items = answer.data as { id: string }[];
  const rest = listed
    .filter(({ place }) => after === null || place > after)
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  for (const item of items) {
    const fits = (one: Listed) => one.id === item.id && one.fault(item) === null;
    const index = rest.findIndex(fits);
    const same = rest.filter(({ id }) => id === item.id).map(({ fault }) => fault(item));
    if (index === -1) return `${item.id} is not there or out of order: ${same.join(" or ")}`;
    const missed = rest.slice(0, index).find(({ must, id }) => must && id !== item.id);
    if (missed) return `${missed.id} is missed`;
    rest.splice(0, index + 1);
  }
  const missed = rest.find(({ must }) => must);
  if (items.length > limit) return `it has ${items.length} items`;
  if ((answer.json as { nextCursor?: string | null }).nextCursor == null)
    return missed ? `it ends before ${missed.id}` : null;
  return items.length === limit && rest.length > 0 ? null : "there is no next page";
}

/** The items of a list before and after the round. */
function listedOf(
  { before, after }: Moment,
  shown: (business: Business) => readonly { readonly id: string }[],
): Listed[] {
  const [earlier, later] = [shown(before), shown(after)];
  // In the order of the business: one that is switched on comes back to its place.
  const all = [before, after].flatMap(({ services, queues }) => [...services, ...queues]);
  const inOrder = [...new Set(all.map(({ id }) => id))];
  const ids = inOrder.filter((one) => [...earlier, ...later].some(({ id }) => id === one));
  return ids.map((id, at) => {
    const versions = [earlier, later]
      .flatMap((items) => items.filter((item) => item.id === id))
      .map((item) => JSON.stringify(item));
    const fault = (item: object) =>
      versions.includes(JSON.stringify(item)) ? null : `it was ${versions.join(" then ")}`;
    return { id, place: placeOf({ id, tokenNumber: at }), must: versions.length === 2, fault };
  });
}

export function shownServices({ services }: Business) {
  const active = services.filter(({ active }) => active);
  return active.map(({ id, name, price, baseTimeMinutes }) => ({
    id,
    name,
    price,
    baseTimeMinutes,
  }));
}

type ShownQueue = Pick<Queue, "id" | "name" | "isActive" | "isTokenCreationPaused">;

export function shownQueues({ queues }: { readonly queues: readonly ShownQueue[] }) {
  return queues.map(({ id, name, isActive, isTokenCreationPaused }) => ({
    id,
    name,
    isActive,
    isTokenCreationPaused,
  }));
}

/** The appointments of a day, or of all days, with each status that they had. */
function listedAppointments({ before, after, people }: Moment, date: string | null): Listed[] {
  const later = new Map(after.appointments.map((one) => [one.id, one]));
  return before.appointments
    .filter((one) => date === null || one.date === date)
    .map((one) => {
      const now = later.get(one.id);
      const versions = [one, ...(now ? [now] : [])].flatMap((version) => {
        const states =
          version.personId === null ? [undefined] : (people.get(version.personId) ?? []);
        return states.map((person) => JSON.stringify(shownAppointment(version, person)));
      });
      const fault = (item: object) =>
        versions.includes(JSON.stringify(item)) ? null : `it was ${versions.join(" then ")}`;
      return { id: one.id, place: placeOf(one), must: now !== undefined, fault };
    });
}

function entriesFault({ sent }: Asked, moment: Moment, answer: Answer): string | null {
  const { target, date, status, limit, after } = sent;
  const isIn = (one: Person) =>
    one.queueId === target && one.date === date && (status === null || one.status === status);
  const listed = [...moment.people].flatMap(([id, states]): Listed[] => {
    const there = states.filter(isIn);
    const numbers = [...new Set(there.map(({ tokenNumber }) => tokenNumber))];
    const must =
      there.length === states.length && numbers.length === 1 && !moment.newcomers.has(id);
    return numbers.map((tokenNumber) => {
      const same = there.filter((one) => one.tokenNumber === tokenNumber);
      return {
        id,
        place: placeOf({ id, tokenNumber }),
        must,
        fault: (item) => entryFault(moment, item as Entry, same),
      };
    });
  });
  return listFault(answer, limit, after, listed);
}

/** The statuses that a summary counts. */
export const countNames = {
  waiting: "WAITING",
  inService: "IN_SERVICE",
  completed: "COMPLETED",
  canceled: "CANCELED",
  noShow: "NO_SHOW",
};

function summaryFault(
  moment: Moment,
  data: QueueSummary,
  queueId: string,
  date: string,
): string | null {
  const { counts, averageWaitMinutes, date: day, ...queue } = data;
  const fault =
    listedOf(moment, shownQueues)
      .find(({ id }) => id === queueId)
      ?.fault(queue) ?? null;
  if (fault !== null || day !== date) return fault ?? `the day is ${date}`;
  const isIn = (one: Person) => one.queueId === queueId && one.date === date;
  const all = [...moment.people].filter(([, states]) => states.some(isIn));
  for (const [name, status] of Object.entries(countNames)) {
    const is = (one: Person) => isIn(one) && one.status === status;
    const max = all.filter(([, states]) => states.some(is)).length;
    const min = all.filter(([id, states]) => !moment.newcomers.has(id) && states.every(is)).length;
    const count = counts[name as keyof typeof counts];
    if (count < min || count > max) return `${name} is from ${min} to ${max}`;
  }
  const isQuiet = all.every(([id, states]) => states.length === 1 && !moment.newcomers.has(id));
  const expected = averageWait(all.flatMap(([, states]) => states));
  return isQuiet && averageWaitMinutes !== expected ? `averageWaitMinutes is ${expected}` : null;
}

function meFault(
  { slug, timezone, keys }: Business,
  name: string,
  { business, key, limits }: Me,
): string | null {
  const own = keys[name];
  const isRight =
    business.slug === slug &&
    business.timezone === timezone &&
    key.id === own?.text.split("_")[2] &&
    key.name === name &&
    key.scopes.toSorted().join() === own?.scopes.toSorted().join() &&
    (own.expiresAt === null || Date.parse(key.expiresAt ?? "") === own.expiresAt) &&
    limits.requestsPerMinute === own.requestsPerMinute &&
    limits.writesPerMinute === own.writesPerMinute;
  return isRight ? null : `the key is ${JSON.stringify({ ...own, text: "" })}`;
}
