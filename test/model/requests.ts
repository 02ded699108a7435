import fc from "fast-check";
import type { RequestOptions } from "../support/client.js";
import { at, type Business, type Person, pick, type ValueOf, type World } from "./world.js";

/*
 * The requests of a round, as plain data that shrinks. `render` turns one into a request to the world as it is.
 */

/** The operations: method, path and scope. Requests that are wrong in themselves are left to `test/api`. */
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
};

const often = (words: string, times: number) => Array<string>(times).fill(words).join(" ");
const parts = {
  business: fc.constantFrom(0, 0, 0, 1),
  server: fc.nat(1),
  key: pick(`${often("main", 20)} small small leaving leaving reader planner revoked none garbage`),
  op: pick(
    `${often("create", 24)} ${often("entries cancel entry", 4)} queue queue appointments appointments appointment me services queues`,
  ),
  queue: pick("front front front front front second second second paused closed unknown foreign"),
  service: pick("none short long vague retired retired unknown"),
  who: fc.oneof({ weight: 8, arbitrary: fc.nat(99) }, fc.constantFrom("unknown", "foreign")),
  name: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    fc.constantFrom("Ana", "ü".repeat(120), "🧑‍⚕️🎈", " spaced ", "مريم", "<b>&amp;</b>"),
  ),
  phone: fc.constantFrom<string[]>("919800000001", "+91 98000 00001", "12345678901234567890"),
  idempotency: pick("none new 0 1 2 3 4 5"),
  /** Repeats an earlier creation that has a key, by its number: same key, queue and body. */
  again: fc.option(fc.nat(30), { freq: 3 }),
  date: pick("none none today"),
  limit: pick("none 1 2 3 5 12 100"),
  status: pick("none none WAITING IN_SERVICE COMPLETED CANCELED NO_SHOW"),
  cursor: fc.option(fc.nat(30)),
};
const ask = fc.record(parts);
/** One of many creations in one queue, which all want the next number. */
const rival = fc.record({
  ...parts,
  business: fc.constant(0),
  op: fc.constant("create"),
  queue: fc.constant("front"),
  key: pick("main main main small"),
});
type Ask = ValueOf<typeof ask>;

const roundOf = (one: typeof ask) => fc.array(one, { minLength: 20, maxLength: 60, size: "max" });
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

/** A place in a list: the number of an entry, or the time and id of an appointment. */
export function placeOf(item: {
  readonly id: string;
  readonly tokenNumber?: number;
  readonly slotTime?: string;
}): string {
  return item.slotTime ? `${item.slotTime} ${item.id}` : String(item.tokenNumber).padStart(6, "0");
}

/** A cursor that a list gave: of a queue by its id, or of the appointments by the slug of their business. */
export interface KnownCursor {
  readonly list: string;
  readonly cursor: string;
  readonly place: string;
}

const nobody = "00000000000000000000";

/** The people of a business in an order that a repeated case has again. */
export function peopleOf({ people }: Business): Person[] {
  const rank = ({ tokenSeries, tokenNumber }: Person) => `${tokenSeries} ${1e6 + tokenNumber}`;
  return [...people.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** A request of a round, with what it names. */
export type Sent = ReturnType<typeof render>;

/** Turns a request into what is sent. `cursors` and `keyed`: what earlier requests got and used. */
export function render(world: World, ask: Ask, cursors: readonly KnownCursor[], keyed: Creation[]) {
  const business = at(world.businesses, ask.business);
  const foreign = at(world.businesses, ask.business + 1);
  const [method, route, scope] = operations[ask.op] ?? ["GET", "", ""];
  const creation = ask.op === "create" ? creationOf(ask, business, foreign, keyed) : null;
  if (creation?.key) keyed.push(creation);

  /** The id in the path, if the business has it. */
  let target: string | null = null;
  const path = route.replace(/:(\w+)/, (_, field: string) => {
    const own = itemsOf(field, business);
    const ofQueue = creation?.queueId ?? queueIdOf(ask.queue, business, foreign);
    const named = field === "queueId" ? ofQueue : idOf(ask.who, own, itemsOf(field, foreign));
    target = own.some(({ id }) => id === named) ? named : null;
    return named;
  });

  const query = new URLSearchParams();
  const isPaged = ask.op === "entries" || ask.op === "appointments";
  if ((isPaged || ask.op === "queue") && ask.date !== "none") query.set("date", business.today);
  if (isPaged && ask.limit !== "none") query.set("limit", ask.limit);
  if (ask.op === "entries" && ask.status !== "none") query.set("status", ask.status);
  const known = cursors.filter(({ list }) => list === (target ?? business.slug));
  const cursor = isPaged && ask.cursor !== null && known.length > 0 ? at(known, ask.cursor) : null;
  if (cursor) query.set("cursor", cursor.cursor);
  return {
    ask,
    business,
    scope,
    method,
    target,
    creation,
    /** The process that it is sent to. */
    server: ask.server % world.place.targets.length,
    path: query.size > 0 ? `${path}?${query}` : path,
    options: creation ? optionsOf(creation) : {},
    status: query.get("status"),
    limit: Number(query.get("limit") ?? 50),
    /** Where the page begins. */
    after: cursor?.place ?? null,
  };
}

function optionsOf({ key, name, phone, serviceId }: Creation): RequestOptions {
  return {
    json: { name, phone, ...(serviceId !== null && { serviceId }) },
    headers: { ...(key !== null && { "Idempotency-Key": key }) },
  };
}

function queueIdOf(name: string, business: Business, foreign: Business): string {
  if (name === "foreign") return foreign.queues[0]?.id ?? nobody;
  return business.queues.find((queue) => queue.name === name)?.id ?? nobody;
}

/** What an id in a path can name. */
function itemsOf(field: string, business: Business): readonly { readonly id: string }[] {
  if (field === "queueId") return business.queues;
  return field === "entryId" ? peopleOf(business) : business.appointments;
}

function idOf(
  who: number | string,
  own: readonly { readonly id: string }[],
  others: readonly { readonly id: string }[],
): string {
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
  const { name, phone, idempotency } = ask;
  const service = business.services.find((one) => one.name === ask.service);
  const fresh = idempotency === "new" ? `new-${crypto.randomUUID()}` : `shared-${idempotency}`;
  return {
    name,
    phone,
    key: idempotency === "none" ? null : fresh,
    queueId: queueIdOf(ask.queue, business, foreign),
    serviceId: ask.service === "none" ? null : (service?.id ?? nobody),
  };
}
