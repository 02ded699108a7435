import type { Scope } from "@queue-api/contract";
import fc from "fast-check";
import type { Answer } from "../support/answer.js";
import { request } from "../support/client.js";
import type { Place } from "./place.js";
import { at, type Business, peopleOf, pick, type ValueOf } from "./world.js";

/*
 * The requests of a round, as plain data that shrinks. `render` turns one into a request to the businesses as they are.
 */

export type Operation = keyof typeof operations;
const operations = {
  me: { path: "/v1/me", scope: null },
  services: { path: "/v1/services", scope: "queue:read" },
  queues: { path: "/v1/queues", scope: "queue:read" },
  queue: { path: "/v1/queues/:queueId", scope: "queue:read" },
  entries: { path: "/v1/queues/:queueId/entries", scope: "queue:read" },
  create: { path: "/v1/queues/:queueId/entries", scope: "queue:write" },
  entry: { path: "/v1/entries/:entryId", scope: "queue:read" },
  cancel: { path: "/v1/entries/:entryId/cancel", scope: "queue:write" },
  appointments: { path: "/v1/appointments", scope: "appointments:read" },
  appointment: { path: "/v1/appointments/:appointmentId", scope: "appointments:read" },
} as const;

/** Why a request is refused, whatever the world is like. */
interface Fault {
  readonly status: number;
  readonly code: string;
  /** The field that the refusal names. */
  readonly field?: string;
}

const wrong = (field: string): Fault => ({ status: 400, code: "invalid_request", field });
const notJson = { status: 400, code: "invalid_json" };
const tooLarge = { status: 413, code: "payload_too_large" };
const wrongType = { status: 415, code: "unsupported_media_type" };

/** The ways in which a creation is wrong: why it is refused, and its body. */
type Spoil = readonly [Fault, (body: Readonly<Record<string, unknown>>) => unknown];
const spoils: Readonly<Record<string, Spoil>> = {
  type: [wrongType, (body) => body],
  large: [tooLarge, (body) => ({ ...body, name: "n".repeat(33_000) })],
  "not-json": [notJson, () => undefined],
  "no-name": [wrong("name"), ({ name: _, ...body }) => body],
  "long-name": [wrong("name"), (body) => ({ ...body, name: "n".repeat(121) })],
  "short-phone": [wrong("phone"), (body) => ({ ...body, phone: "123-456" })],
  unknown: [wrong("priority"), (body) => ({ ...body, priority: true })],
  "short-key": [wrong("idempotency-key"), (body) => body],
};

const often = (words: string, times: number) => Array<string>(times).fill(words).join(" ");
const parts = {
  business: fc.constantFrom(0, 0, 0, 1, 2),
  server: fc.nat(1),
  key: pick(
    `${often("main", 20)} small small leaving leaving expiring reader writer planner elsewhere revoked expired none garbage`,
  ),
  op: pick(
    `${often("create", 24)} ${often("entries cancel entry", 4)} queue queue ${often("appointments", 3)} appointment appointment me services queues`,
  ) as fc.Arbitrary<Operation>,
  queue: pick(
    `${often("front", 5)} ${often("second", 3)} spare paused paused closed closed unknown foreign malformed`,
  ),
  service: pick("none short long vague new retired retired unknown foreign"),
  who: fc.oneof(
    { weight: 6, arbitrary: fc.nat(99) },
    fc.constantFrom("unknown", "foreign", "foreign", "malformed"),
  ),
  name: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    fc.constantFrom("Ana", "ü".repeat(120), "🧑‍⚕️🎈", " spaced ", "مريم", "<b>&amp;</b>"),
  ),
  phone: fc.constantFrom("919800000001", "+91 98000 00001", "(022) 2345-6789", "1".repeat(20)),
  spoil: pick(`${often("right", 120)} ${Object.keys(spoils).join(" ")}`),
  idempotency: pick("none new 0 1 2 3 4 5"),
  /** Repeats an earlier creation that has a key, by its number: same key, queue and body. */
  again: fc.option(fc.nat(30), { freq: 3 }),
  date: pick("none none none today yesterday"),
  limit: pick("none 1 2 3 5 12 100"),
  status: pick("none none WAITING IN_SERVICE COMPLETED CANCELED NO_SHOW"),
  cursor: pick("none none earlier earlier other unknown"),
  /** What else is in the query. It names a wrong field. */
  extra: pick(
    `${often("none", 150)} limit=0 limit=101 limit=1.5 date=2026-02-30 date=soon status=LATE cursor=x color=red limit=5&limit=5`,
  ),
};
const ask = fc.record(parts);
/** One of many creations in one queue, which all want the next number. */
const rival = fc.record({
  ...parts,
  business: fc.constant(0),
  op: fc.constant<Operation>("create"),
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

/** A creation, as its Idempotency-Key identifies it. */
export interface Creation {
  readonly key: string | null;
  readonly queueId: string;
  readonly name: string;
  readonly phone: string;
  readonly serviceId: string | null;
}
export const printOf = ({ key: _, ...rest }: Creation) => JSON.stringify(rest);

type Query = Readonly<Partial<Record<"date" | "limit" | "status" | "cursor", string>>>;

/** A request, with what it names. */
export interface Sent {
  readonly business: Business;
  /** The name of the key. */
  readonly key: string;
  /** The number of the process. */
  readonly server: number;
  /** Where it comes from. */
  readonly address: string;
  readonly op: Operation;
  readonly method: string;
  readonly scope: Scope | null;
  /** The id in the path. */
  readonly target: string | null;
  readonly query: Query;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly creation: Creation | null;
  /** The place of a page: that of the last item before it. */
  readonly after: string | null;
  readonly faults: readonly Fault[];
  /** Whether the cursor is of another list. The service finds that out after it has found this list. */
  readonly hasStrayCursor: boolean;
}

/** A request with its answer. */
export interface Exchange {
  readonly sent: Sent;
  /** The address of the process that answered. */
  readonly url: string;
  readonly answer: Answer;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A right request with a key that may do everything. `changes`: what differs. */
export function plain(
  business: Business,
  op: Operation,
  target: string | null = null,
  query: Query = {},
  changes: Partial<Sent> = {},
): Sent {
  const { path, scope } = operations[op];
  const search = new URLSearchParams(query).toString();
  return {
    business,
    key: "main",
    server: 0,
    address: "10.254.0.1",
    op,
    method: op === "create" || op === "cancel" ? "POST" : "GET",
    scope,
    target,
    query,
    path: path.replace(/:\w+/, target ?? "") + (search && `?${search}`),
    headers: {},
    body: null,
    creation: null,
    after: null,
    faults: [],
    hasStrayCursor: false,
    ...changes,
  };
}

/** A creation. `spoil`: what is wrong with it. */
export function creating(
  business: Business,
  creation: Creation,
  spoil = "right",
  changes: Partial<Sent> = {},
): Sent {
  const { queueId, name, phone, serviceId } = creation;
  const right = { name, phone, ...(serviceId !== null && { serviceId }) };
  const [fault, spoiled] = spoils[spoil] ?? [null, () => right];
  const key = spoil === "short-key" ? "short" : creation.key;
  const headers = {
    "Content-Type": spoil === "type" ? "text/plain" : "application/json",
    ...(key !== null && { "Idempotency-Key": key }),
  };
  const body = JSON.stringify(spoiled(right)) ?? "{name: Ana}";
  const faults = fault ? [fault] : [];
  return plain(business, "create", queueId, {}, { ...changes, creation, headers, body, faults });
}

/** A case: its businesses as they are now, and what was sent. */
export interface World {
  readonly place: Place;
  readonly startedAt: number;
  readonly businesses: Business[];
  /** All requests of the API that were answered. */
  readonly exchanges: Exchange[];
  /** The creations with an Idempotency-Key, which later ones repeat. */
  readonly keyed: Creation[];
  /** The lists that later requests continue. */
  readonly begun: Begun[];
}

/** Sends a request to its process. Every request of the model goes through here. */
export async function send({ place, exchanges }: World, sent: Sent): Promise<Exchange> {
  const { business, key, server, address, method, path, body } = sent;
  const text = key === "garbage" ? "svc_live_nobody_nothing" : business.keys[key]?.text;
  const headers = {
    "X-Forwarded-For": address,
    ...(text !== undefined && { Authorization: `Bearer ${text}` }),
    ...sent.headers,
  };
  const target = at(place.targets, server);
  const sentAt = Date.now();
  const answer = await request(target, method, path, { headers, ...(body !== null && { body }) });
  const exchange = { sent, url: target.url, answer, sentAt, answeredAt: Date.now() };
  exchanges.push(exchange);
  return exchange;
}

/** A place in a list: the number of an entry, or the time and id of an appointment. */
export function placeOf(item: {
  readonly id: string;
  readonly tokenNumber?: number;
  readonly slotTime?: string;
}): string {
  return item.slotTime ? `${item.slotTime} ${item.id}` : String(item.tokenNumber).padStart(6, "0");
}

/** A list of today that was begun. */
export interface Begun {
  readonly sent: Sent;
  /** The cursor that a page gave, the place of the last item before it, and its id. */
  readonly cursor: string;
  readonly after: string;
  readonly last: string;
}

const nobody = "00000000000000000000";

let addresses = 0;

/** Turns a request into what is sent, from an address of its own. */
export function render({ businesses, keyed, begun }: World, ask: Ask): Sent {
  const { op, key, server, spoil } = ask;
  addresses += 1;
  const address = `10.${(addresses >> 16) & 127}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const from = { key, server, address };
  const business = at(businesses, ask.business);
  const foreign = at(businesses, ask.business + 1);
  if (op === "create") {
    const isAgain = ask.again !== null && keyed.length > 0;
    const creation = isAgain ? at(keyed, ask.again ?? 0) : creationOf(ask, business, foreign);
    if (creation.key !== null && spoil === "right") keyed.push(creation);
    return withExtra(creating(business, creation, spoil, from), ask);
  }
  const target = targetOf(ask, business, foreign);
  const isList = op === "entries" || op === "appointments";
  const isOwn = ({ sent }: Begun) =>
    sent.business.index === business.index && sent.op === op && sent.target === target;
  const earlier = ask.date === "yesterday" ? undefined : begun.filter(isOwn).at(-1);
  const cursors: Readonly<Record<string, string | undefined>> = {
    earlier: earlier?.cursor,
    other: begun.filter((one) => !isOwn(one)).at(-1)?.cursor,
    unknown: nobody,
  };
  const cursor = isList ? cursors[ask.cursor] : undefined;
  const date = ask.date === "yesterday" ? business.yesterday : business.today;
  const query = {
    ...((isList || op === "queue") && ask.date !== "none" && { date }),
    ...(isList && ask.limit !== "none" && { limit: ask.limit }),
    ...(op === "entries" && ask.status !== "none" && { status: ask.status }),
    ...(cursor !== undefined && { cursor }),
  };
  const sent = plain(business, op, target, query, {
    ...from,
    after: (cursor !== undefined && cursor === earlier?.cursor && earlier.after) || null,
    hasStrayCursor: cursor !== undefined && ask.cursor !== "earlier",
  });
  return withExtra(sent, ask);
}

/** A request with what else makes it wrong. */
function withExtra(sent: Sent, { extra }: Ask): Sent {
  const faults = [...sent.faults];
  if (sent.target === "malformed") faults.push(wrong(fieldOf(sent.op) ?? ""));
  if (extra === "none") return { ...sent, faults };
  faults.push(wrong(extra.split("=")[0] ?? ""));
  return { ...sent, faults, path: `${sent.path}${sent.path.includes("?") ? "&" : "?"}${extra}` };
}

/** The name of the id in the path of an operation; null if it has none. */
function fieldOf(op: Operation): string | null {
  return /:(\w+)/.exec(operations[op].path)?.[1] ?? null;
}

/** The id in the path; null if there is none. */
function targetOf({ op, queue, who }: Ask, business: Business, foreign: Business): string | null {
  switch (fieldOf(op)) {
    case "queueId":
      return idOf(queue, business.queues, foreign.queues);
    case "entryId":
      return idOf(who, peopleOf(business), peopleOf(foreign));
    case "appointmentId":
      return idOf(who, business.appointments, foreign.appointments);
    default:
      return null;
  }
}

/** The id of an item by its name or any number, of one of another business, or of none. */
function idOf(
  wanted: string | number,
  own: readonly { readonly id: string; readonly name?: string }[],
  foreign: readonly { readonly id: string }[],
): string {
  if (wanted === "malformed") return wanted;
  if (wanted === "foreign") return foreign[0]?.id ?? nobody;
  if (typeof wanted === "number" && own.length > 0) return at(own, wanted).id;
  return own.find(({ name }) => name === wanted)?.id ?? nobody;
}

function creationOf(ask: Ask, business: Business, foreign: Business): Creation {
  const { name, phone, queue, service, idempotency } = ask;
  const fresh = idempotency === "new" ? `new-${crypto.randomUUID()}` : `shared-${idempotency}`;
  return {
    name,
    phone,
    key: idempotency === "none" ? null : fresh,
    queueId: idOf(queue, business.queues, foreign.queues),
    serviceId: service === "none" ? null : idOf(service, business.services, foreign.services),
  };
}
