import fc from "fast-check";
import {
  at,
  type Business,
  type Exchange,
  type Person,
  pick,
  send,
  type ValueOf,
  type World,
} from "./world.js";

/*
 * The requests of a round, as plain data that shrinks. `render` turns one into a request to the world as it is.
 */

/** The operations: method, path and scope. */
const operations: Readonly<Record<string, readonly ["GET" | "POST", string, string]>> = {
  me: ["GET", "/v1/me", ""],
  services: ["GET", "/v1/services", "queue:read"],
  queues: ["GET", "/v1/queues", "queue:read"],
  queue: ["GET", "/v1/queues/:queueId", "queue:read"],
  entries: ["GET", "/v1/queues/:queueId/entries", "queue:read"],
  create: ["POST", "/v1/queues/:queueId/entries", "queue:write"],
  entry: ["GET", "/v1/entries/:entryId", "queue:read"],
  cancel: ["POST", "/v1/entries/:entryId/cancel", "queue:write"],
  appointments: ["GET", "/v1/appointments", "appointments:read"],
  appointment: ["GET", "/v1/appointments/:appointmentId", "appointments:read"],
  nothing: ["GET", "/v1/nothing", ""],
  index: ["GET", "/v1", ""],
};

/** The ways in which a body of a creation is wrong, with the refusal that each gets. */
type Spoil = (body: Readonly<Record<string, unknown>>) => unknown;
const spoils: Readonly<Record<string, readonly [number, string, string | null, Spoil]>> = {
  "not-json": [400, "invalid_json", null, () => null],
  array: [400, "invalid_request", null, (body) => [body]],
  "no-name": [400, "invalid_request", "name", ({ name: _, ...body }) => body],
  "empty-name": [400, "invalid_request", "name", (body) => ({ ...body, name: "" })],
  "long-name": [400, "invalid_request", "name", (body) => ({ ...body, name: "n".repeat(121) })],
  surrogate: [400, "invalid_request", "name", (body) => ({ ...body, name: "\ud83e" })],
  "short-phone": [400, "invalid_request", "phone", (body) => ({ ...body, phone: "123-456" })],
  letters: [400, "invalid_request", "phone", (body) => ({ ...body, phone: "0800-FLOWERS" })],
  unknown: [400, "invalid_request", "priority", (body) => ({ ...body, priority: true })],
  number: [400, "invalid_request", "serviceId", (body) => ({ ...body, serviceId: 5 })],
  "short-key": [400, "invalid_request", "idempotency-key", (body) => body],
  type: [415, "unsupported_media_type", null, (body) => body],
  large: [413, "payload_too_large", null, (body) => ({ ...body, name: "n".repeat(33_000) })],
};

const often = (words: string, times: number) => Array<string>(times).fill(words).join(" ");
const parts = {
  business: fc.constantFrom(0, 0, 0, 1, 2),
  server: fc.nat(1),
  key: pick(
    `${often("main", 20)} small small leaving leaving expiring reader writer planner elsewhere revoked expired none garbage`,
  ),
  op: pick(
    `${often("create", 24)} ${often("entries cancel entry", 4)} queue queue appointments appointments appointment me services queues nothing index`,
  ),
  queue: pick(
    "front front front front front second second second spare paused closed unknown foreign malformed",
  ),
  service: pick("none short long vague new retired retired unknown foreign"),
  who: fc.oneof(
    { weight: 8, arbitrary: fc.nat(99) },
    fc.constantFrom("unknown", "foreign", "malformed"),
  ),
  name: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    fc.constantFrom("Ana", "ü".repeat(120), "🧑‍⚕️🎈", " spaced ", "مريم", "<b>&amp;</b>"),
  ),
  phone: fc.constantFrom<string[]>(
    "919800000001",
    "+91 98000 00001",
    "(022) 2345-6789",
    "12345678901234567890",
  ),
  spoil: pick(`${often("right", 120)} ${Object.keys(spoils).join(" ")}`),
  idempotency: pick("none new 0 1 2 3 4 5"),
  /** Repeats an earlier creation that has a key, by its number: same key, queue and body. */
  again: fc.option(fc.nat(30), { freq: 3 }),
  date: pick("none none none today yesterday"),
  limit: pick("none 1 2 3 5 12 100"),
  status: pick("none none WAITING IN_SERVICE COMPLETED CANCELED NO_SHOW"),
  cursor: pick("none none earlier earlier other unknown"),
  /** What else is in the query or, for a cancellation, in the body. Except for `key`, it names a wrong field. */
  extra: pick(
    `${often("none", 150)} limit=0 limit=101 limit=1.5 date=2026-02-30 date=soon status=LATE cursor=x color=red limit=5&limit=5 key= body`,
  ),
};
const ask = fc.record(parts);
/** One of many creations in one queue, which all want the next number. */
const rival = fc.record({
  ...parts,
  business: fc.constant(0),
  op: fc.constant("create"),
  queue: fc.constant("front"),
  key: pick("main main main small"),
  spoil: fc.constant("right"),
  extra: fc.constant("none"),
});
export type Ask = ValueOf<typeof ask>;

/** 20 to 60 requests. A shrunk case has holes in their place. */
const roundOf = (one: typeof ask) =>
  fc.array(fc.option(one, { freq: 200 }), { minLength: 20, maxLength: 60, size: "max" });
export const asks = fc.oneof(
  { weight: 2, arbitrary: roundOf(ask) },
  { weight: 1, arbitrary: roundOf(rival) },
);

/** Why a request is refused, whatever the world is like. */
interface Fault {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  /** Whether the service finds it only after the resource in the path. */
  readonly isLate?: boolean;
}

/** A creation, as its Idempotency-Key identifies it. */
export interface Creation {
  readonly key: string | null;
  readonly queueId: string;
  readonly name: string;
  readonly phone: string;
  readonly serviceId: string | null;
}
export const printOf = ({ key: _, ...rest }: Creation) => JSON.stringify(rest);

/** A request of a round, with what it names. */
export interface Sent {
  readonly ask: Ask;
  readonly business: Business;
  /** The process that it is sent to. */
  readonly server: number;
  readonly scope: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly faults: readonly Fault[];
  /** The id in the path, if the business has it. */
  readonly target: string | null;
  readonly date: string;
  readonly limit: number;
  readonly status: string | null;
  /** Where the page begins. */
  readonly after: string | null;
  readonly creation: Creation | null;
}

/** A place in a list: the number of an entry, or the time and id of an appointment. */
export function placeOf(item: {
  readonly id: string;
  readonly tokenNumber?: number;
  readonly slotTime?: string;
}): string {
  return item.slotTime ? `${item.slotTime} ${item.id}` : String(item.tokenNumber).padStart(6, "0");
}

/** A cursor that a list of a business gave. */
export interface KnownCursor {
  readonly slug: string;
  readonly path: string;
  readonly filter: { readonly status?: "WAITING" };
  readonly date: string;
  readonly cursor: string;
  readonly place: string;
  /** The id of the last item before it. */
  readonly last: string;
}

const nobody = "00000000000000000000";

/** The people of a business in an order that a repeated case has again. */
export function peopleOf({ people }: Business): Person[] {
  const rank = ({ date, tokenSeries, tokenNumber }: Person) =>
    `${date} ${tokenSeries} ${1e6 + tokenNumber}`;
  return [...people.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Turns a request into what is sent. `cursors` and `keyed`: what earlier requests got and used. */
export function render(
  world: World,
  ask: Ask,
  cursors: readonly KnownCursor[],
  keyed: Creation[],
): Sent {
  const business = at(world.businesses, ask.business);
  const foreign = at(world.businesses, ask.business + 1);
  const [method, route, scope] = operations[ask.op] ?? ["GET", "", ""];
  const faults: Fault[] = [];
  const wrong = (field: string, isLate = false) => {
    faults.push({ status: 400, code: "invalid_request", field, isLate });
  };
  const headers: Record<string, string> = {};
  const creation = ask.op === "create" ? creationOf(ask, business, foreign, keyed) : null;
  let body: string | null = null;
  if (creation) {
    const { key, name, phone, serviceId } = creation;
    const plain = { name, phone, ...(serviceId !== null && { serviceId }) };
    const [status, code, field, spoil] = spoils[ask.spoil] ?? [
      0,
      "",
      null,
      (same: unknown) => same,
    ];
    body = JSON.stringify(spoil(plain)).replace(/^null$/, "{name: Ana}");
    if (status !== 0) faults.push({ status, code, field });
    else if (key !== null) keyed.push(creation);
    headers["Content-Type"] = ask.spoil === "type" ? "text/plain" : "application/json";
    if (key !== null) headers["Idempotency-Key"] = key;
    if (ask.spoil === "short-key") headers["Idempotency-Key"] = "short";
  }

  const lists: Readonly<
    Record<string, readonly [readonly { id: string }[], readonly { id: string }[]]>
  > = {
    queueId: [business.queues, foreign.queues],
    entryId: [peopleOf(business), peopleOf(foreign)],
    appointmentId: [business.appointments, foreign.appointments],
  };
  let target: string | null = null;
  const path = route.replace(/:(\w+)/, (_, field: string) => {
    const [own = [], others = []] = lists[field] ?? [];
    const named =
      field === "queueId"
        ? (creation?.queueId ?? queueIdOf(ask.queue, business, foreign))
        : idOf(ask.who, own, others);
    target = own.some(({ id }) => id === named) ? named : null;
    if (named === "malformed") wrong(field);
    return named;
  });

  const query = new URLSearchParams();
  const isPaged = ask.op === "entries" || ask.op === "appointments";
  const date = ask.date === "yesterday" ? business.yesterday : business.today;
  if ((isPaged || ask.op === "queue") && ask.date !== "none") query.set("date", date);
  if (isPaged && ask.limit !== "none") query.set("limit", ask.limit);
  if (ask.op === "entries" && ask.status !== "none") query.set("status", ask.status);
  const isOwn = (one: KnownCursor) => one.slug === business.slug && one.path === path;
  const known = cursors
    .filter((one) => (ask.cursor === "earlier" ? isOwn(one) && one.date === date : !isOwn(one)))
    .at(-1);
  const cursor =
    ask.cursor === "unknown" ? nobody : ask.cursor !== "none" ? known?.cursor : undefined;
  const isCursor = isPaged && cursor !== undefined;
  if (isCursor) query.set("cursor", cursor);
  if (isCursor && ask.cursor !== "earlier") wrong("cursor", true);
  const extra = ask.extra === "key=" ? `key=${business.keys.main?.text}` : ask.extra;
  if (ask.op === "cancel" && extra === "body") {
    [body, headers["Content-Type"]] = ['{"reason":"late"}', "application/json"];
    wrong("reason");
  }
  for (const [name, value] of new URLSearchParams(
    extra === "none" || extra === "body" ? "" : extra,
  )) {
    query.append(name, value);
    wrong(name);
  }
  return {
    ask,
    business,
    scope,
    method,
    headers,
    body,
    faults,
    target,
    date,
    creation,
    server: ask.server % world.place.targets.length,
    status: query.get("status"),
    limit: Number(query.get("limit") ?? 50),
    after: isCursor ? (known?.place ?? null) : null,
    path: query.size > 0 ? `${path}?${query}` : path,
  };
}

function queueIdOf(name: string, business: Business, foreign: Business): string {
  if (name === "malformed") return name;
  if (name === "foreign") return foreign.queues[0]?.id ?? nobody;
  return business.queues.find((queue) => queue.name === name)?.id ?? nobody;
}

function idOf(
  who: number | string,
  own: readonly { id: string }[],
  others: readonly { id: string }[],
): string {
  if (who === "malformed") return who;
  if (who === "foreign") return others[0]?.id ?? nobody;
  return typeof who === "number" && own.length > 0 ? at(own, who).id : nobody;
}

function creationOf(
  ask: Ask,
  business: Business,
  foreign: Business,
  keyed: readonly Creation[],
): Creation {
  if (ask.again !== null && keyed.length > 0) return at(keyed, ask.again);
  const { services } = ask.service === "foreign" ? foreign : business;
  const service = services.find(
    ({ name }) => name === (ask.service === "foreign" ? "short" : ask.service),
  );
  const { name, phone, idempotency } = ask;
  const fresh = idempotency === "new" ? `new-${crypto.randomUUID()}` : `shared-${idempotency}`;
  return {
    name,
    phone,
    key: idempotency === "none" ? null : fresh,
    queueId: queueIdOf(ask.queue, business, foreign),
    serviceId: ask.service === "none" ? null : (service?.id ?? nobody),
  };
}

let addresses = 0;

/** Sends a rendered request to its process, from an address of its own. */
export function sendOne(
  world: World,
  { business, ask, method, path, headers, body }: Sent,
): Promise<Exchange> {
  addresses += 1;
  const address = `10.${(addresses >> 16) & 127}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const caller = { business, key: ask.key, server: ask.server, address };
  return send(world, caller, method, path, { headers, ...(body !== null && { body }) });
}
