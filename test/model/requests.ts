import fc from "fast-check";
import type { Business, KeyName, Person, World } from "./world.js";

/*
 * The requests of a round, as plain data that shrinks. `render` turns one into a request of the world as it is.
 */

const queue = fc.constantFrom(
  ...(["front", "front", "front", "front", "second", "second", "spare"] as const),
  ...(["paused", "closed", "unknown", "foreign", "malformed"] as const),
);
const service = fc.constantFrom(
  ...([
    null,
    null,
    "short",
    "long",
    "free",
    "vague",
    "new",
    "retired",
    "unknown",
    "foreign",
  ] as const),
);
/** A person or an appointment by its number in the business, modulo how many there are. */
const known = fc.oneof(
  { weight: 8, arbitrary: fc.nat(99) },
  { weight: 1, arbitrary: fc.constantFrom("unknown", "foreign", "malformed") },
);
const date = fc.constantFrom(null, null, null, "today", "yesterday", "2026-02-30", "soon");
const limit = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 1, max: 12 }).map(String),
  fc.constantFrom("100", "0", "101", "1.5", "x"),
);
const cursor = fc.constantFrom(null, null, "earlier", "earlier", "other list", "unknown", "short");
const status = fc.constantFrom(
  ...([null, null, "WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW", "LATE"] as const),
);
const name = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
  fc.constantFrom("Ana", "ü".repeat(120), "🧑‍⚕️🎈", " spaced ", "مريم", "<b>&amp;</b>"),
);
const phone = fc.constantFrom(
  "919800000001",
  "+91 98000 00001",
  "(022) 2345-6789",
  "+1 (555) 010-9999",
  "12345678901234567890",
  "+44 20 7946 0000",
);

/** The ways in which a body is wrong, with the refusal that it gets. */
const wrongBodies = {
  "not JSON": [400, "invalid_json"],
  "an array": [400, "invalid_request"],
  "no name": [400, "invalid_request", "name"],
  "empty name": [400, "invalid_request", "name"],
  "long name": [400, "invalid_request", "name"],
  "half a character": [400, "invalid_request", "name"],
  "short phone": [400, "invalid_request", "phone"],
  "letters as phone": [400, "invalid_request", "phone"],
  "unknown field": [400, "invalid_request", "priority"],
  "number as service": [400, "invalid_request", "serviceId"],
  "short key": [400, "invalid_request", "idempotency-key"],
  "other type": [415, "unsupported_media_type"],
  "no type": [415, "unsupported_media_type"],
  "too large": [413, "payload_too_large"],
} as const;
const right = fc.constant(null);
const wrongBody = fc.oneof(
  { weight: 6, arbitrary: right },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...(Object.keys(wrongBodies) as (keyof typeof wrongBodies)[])),
  },
);

const creation = fc.record({
  op: fc.constant("create"),
  ...{ queue, service, name, phone, wrongBody },
  key: fc.oneof(fc.constantFrom("none", "new"), fc.nat(5)),
  /** Repeats an earlier creation that has a key, by its number: same key, queue and body. */
  again: fc.option(fc.nat(30), { freq: 3 }),
});
const call = fc.oneof(
  { weight: 12, arbitrary: creation },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("cancel"),
      person: known,
      body: fc.constantFrom(null, null, "{}", "field"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("entries"), queue, status, date, limit, cursor }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("entry"), person: known }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("queue"), queue, date }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("appointments"), date, limit, cursor }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("appointment"), appointment: known }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constantFrom("me", "services", "queues", "nothing", "index") }),
  },
);

const ask = fc.record({
  business: fc.nat(2),
  server: fc.nat(1),
  key: fc.oneof(
    { weight: 8, arbitrary: fc.constant("main") },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "small",
        "small",
        "leaving",
        "expiring",
        "reader",
        "writer",
        "planner",
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom("elsewhere", "revoked", "expired", "none", "garbage") },
  ),
  extra: fc.oneof(
    { weight: 20, arbitrary: right },
    {
      weight: 1,
      arbitrary: fc.constantFrom("unknown parameter", "parameter twice", "key in the URL"),
    },
  ),
  call,
});
type ValueOf<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;
export type Ask = ValueOf<typeof ask>;

/** 20 to 60 requests. A shrunk case has holes in their place. */
export const asks = fc.array(fc.option(ask, { freq: 200 }), { minLength: 20, maxLength: 60 });

/** Why a request is refused, whatever the world is like. */
interface Fault {
  readonly status: number;
  readonly code: string;
  readonly field?: string;
  /** Whether the service finds it only after the resource in the path. */
  readonly isLate?: boolean;
}

/** A request of a round, with what it names. */
export interface Sent {
  readonly ask: Ask;
  readonly business: Business;
  readonly server: number;
  readonly key: KeyName | "none" | "garbage";
  readonly address: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly faults: readonly Fault[];
  readonly isKeyInUrl: boolean;
  /** The id of the queue, person or appointment in the path; null if it names none of this business. */
  readonly target: string | null;
  /** The day of a read. */
  readonly date: string;
  readonly limit: number;
  readonly status: string | null;
  /** The number, or the slot and id, after which the page begins. */
  readonly afterPlace: Place | null;
  readonly creation: Creation | null;
}

export interface Creation {
  readonly key: string | null;
  readonly queueId: string;
  readonly name: string;
  readonly phone: string;
  /** As in the body: the id of any service, or null. */
  readonly serviceId: string | null;
  /** Equal for equal requests. */
  readonly print: string;
}

/** A place in a list: the number of an entry, or the time and id of an appointment. */
export type Place = string;
export const placeOfNumber = (number: number): Place => String(number).padStart(6, "0");
export const placeOfSlot = (one: { readonly slotTime: string; readonly id: string }): Place =>
  `${one.slotTime} ${one.id}`;

/** A cursor that a list gave. */
export interface KnownCursor {
  readonly business: Business;
  /** The queue, or null for appointments. */
  readonly list: string | null;
  readonly date: string;
  readonly cursor: string;
  readonly place: Place;
}

const nobody = "00000000000000000000";
const malformed = "no-such-id";
let addresses = 0;

/** Turns the requests of a round into what is sent. `cursors`: those that lists gave before. */
export function renderAll(
  world: World,
  round: readonly (Ask | null)[],
  cursors: readonly KnownCursor[],
  keyed: Creation[],
): Sent[] {
  return round.flatMap((one) => (one ? [render(world, one, cursors, keyed)] : []));
}

function render(world: World, ask: Ask, cursors: readonly KnownCursor[], keyed: Creation[]): Sent {
  const business = at(world.businesses, ask.business);
  const foreign = at(world.businesses, ask.business + 1);
  const faults: Fault[] = [];
  const wrong = (field: string, isLate = false) =>
    faults.push({ status: 400, code: "invalid_request", field, isLate });
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const { call } = ask;
  let [method, path, body, target]: ["GET" | "POST", string, string | null, string | null] = [
    "GET",
    "",
    null,
    null,
  ];
  let creation: Creation | null = null;
  let afterPlace: Place | null = null;

  const idOf = (
    pick: number | string,
    own: readonly { id: string }[],
    others: readonly { id: string }[],
    field: string,
  ) => {
    if (pick === "malformed") wrong(field);
    if (pick === "malformed") return malformed;
    if (pick === "foreign") return others[0]?.id ?? nobody;
    target = typeof pick === "number" ? (own.length > 0 ? at(own, pick).id : null) : null;
    return target ?? nobody;
  };
  const queueIdOf = (pick: string) => {
    const named = Object.hasOwn(business.queues, pick) ? business.queues[pick] : undefined;
    if (named) target = named.id;
    return named?.id ?? idOf(pick, [], Object.values(foreign.queues), "queueId");
  };
  const listed = (list: string | null) => {
    const { date, limit, cursor } = call as {
      date: string | null;
      limit?: string | null;
      cursor?: string | null;
    };
    const day = date === "today" || date === "yesterday" ? business[date] : date;
    if (day !== null) query.set("date", day);
    if (date === "2026-02-30" || date === "soon") wrong("date");
    if (limit != null) query.set("limit", limit);
    if (["0", "101", "1.5", "x"].includes(limit ?? "")) wrong("limit");
    const isOwnList = (one: KnownCursor) => one.business === business && one.list === list;
    const fits = cursors.filter((one) =>
      cursor === "earlier"
        ? isOwnList(one) && one.date === (day ?? business.today)
        : !isOwnList(one),
    );
    const found = fits.at(-1);
    if (cursor === "earlier" && found) afterPlace = found.place;
    if (cursor === "unknown" || (cursor === "other list" && found)) wrong("cursor", true);
    if (cursor === "short") wrong("cursor");
    if (cursor === "short") query.set("cursor", "x");
    if (cursor === "unknown") query.set("cursor", nobody);
    if (found && (cursor === "earlier" || cursor === "other list"))
      query.set("cursor", found.cursor);
  };

  switch (call.op) {
    case "me":
    case "services":
    case "queues":
      path = `/v1/${call.op}`;
      break;
    case "nothing":
      path = "/v1/nothing";
      break;
    case "index":
      path = "/v1";
      break;
    case "queue":
      path = `/v1/queues/${queueIdOf(call.queue)}`;
      listed("");
      break;
    case "entries":
      path = `/v1/queues/${queueIdOf(call.queue)}/entries`;
      listed(target);
      if (call.status !== null) query.set("status", call.status);
      if (call.status === "LATE") wrong("status");
      break;
    case "appointments":
      path = "/v1/appointments";
      listed(null);
      break;
    case "appointment":
      path = `/v1/appointments/${idOf(call.appointment, business.appointments, foreign.appointments, "appointmentId")}`;
      break;
    case "entry":
    case "cancel": {
      path = `/v1/entries/${idOf(call.person, peopleOf(business), peopleOf(foreign), "entryId")}`;
      if (call.op === "entry") break;
      [method, path] = ["POST", `${path}/cancel`];
      if (call.body !== null) headers["Content-Type"] = "application/json";
      if (call.body !== null) body = call.body === "field" ? '{"reason":"late"}' : call.body;
      if (call.body === "field") wrong("reason");
      break;
    }
    case "create": {
      method = "POST";
      const named =
        call.service === "foreign" ? foreign.services.short : business.services[call.service ?? ""];
      const again = call.again === null || keyed.length === 0 ? null : at(keyed, call.again);
      const fresh = () => ({
        queueId: queueIdOf(call.queue),
        ...{
          name: call.name,
          phone: call.phone,
          serviceId: call.service === null ? null : (named?.id ?? nobody),
        },
        key:
          call.key === "none"
            ? null
            : call.key === "new"
              ? `new-${crypto.randomUUID()}`
              : `shared-${call.key}`,
      });
      const { queueId, key, name, phone, serviceId } = again ?? fresh();
      const isOwnQueue = Object.values(business.queues).some(({ id }) => id === queueId);
      target = isOwnQueue ? queueId : null;
      path = `/v1/queues/${queueId}/entries`;
      if (queueId === malformed && again) wrong("queueId");
      const plain: Record<string, unknown> = {
        name,
        phone,
        ...(serviceId !== null && { serviceId }),
      };
      creation = { queueId, key, name, phone, serviceId, print: JSON.stringify([queueId, plain]) };
      headers["Content-Type"] = "application/json";
      if (key !== null) headers["Idempotency-Key"] = key;
      body = spoil(plain, headers, call.wrongBody);
      if (call.wrongBody !== null) {
        const [status, code, field] = wrongBodies[call.wrongBody] as readonly [
          number,
          string,
          string?,
        ];
        faults.push({ status, code, ...(field !== undefined && { field }) });
      } else if (key !== null) keyed.push(creation);
      break;
    }
  }
  if (ask.extra === "unknown parameter") {
    query.set("colour", "red");
    wrong("colour");
  }
  if (ask.extra === "parameter twice" && call.op === "entries") {
    query.append("limit", "5");
    query.append("limit", "5");
    wrong("limit");
  }
  const isKeyInUrl = ask.extra === "key in the URL";
  if (isKeyInUrl) query.set("key", business.keys.main.text);
  const asked = query.get("date");
  return {
    ...{
      ask,
      business,
      server: ask.server % world.place.targets.length,
      key: ask.key as Sent["key"],
      method,
      headers,
      body,
      faults,
      isKeyInUrl,
    },
    ...{
      target,
      creation,
      afterPlace,
      status: query.get("status"),
      limit: Number(query.get("limit") ?? 50),
      date: asked ?? business.today,
    },
    address: `10.${(++addresses >> 16) & 127}.${(addresses >> 8) & 255}.${addresses & 255}`,
    path: query.size > 0 ? `${path}?${query}` : path,
  };
}

/** A body that is wrong in one way; the headers too, if that is where the fault is. */
function spoil(
  plain: Record<string, unknown>,
  headers: Record<string, string>,
  wrong: keyof typeof wrongBodies | null,
): string {
  if (wrong === "other type") headers["Content-Type"] = "text/plain";
  if (wrong === "no type") delete headers["Content-Type"];
  if (wrong === "short key") headers["Idempotency-Key"] = "short";
  const { name: _, ...nameless } = plain;
  const changes: Partial<Record<keyof typeof wrongBodies, unknown>> = {
    "an array": [plain],
    "no name": nameless,
    "empty name": { ...plain, name: "" },
    "long name": { ...plain, name: "n".repeat(121) },
    "half a character": { ...plain, name: "\ud83e" },
    "short phone": { ...plain, phone: "123-456" },
    "letters as phone": { ...plain, phone: "0800-FLOWERS" },
    "unknown field": { ...plain, priority: true },
    "number as service": { ...plain, serviceId: 5 },
    "too large": { ...plain, name: "n".repeat(33_000) },
  };
  return wrong === "not JSON"
    ? "{name: Ana}"
    : JSON.stringify(wrong === null ? plain : (changes[wrong] ?? plain));
}

/** The people of a business in an order that a repeated case has again. */
export function peopleOf({ people }: Business): Person[] {
  const rank = ({ date, tokenSeries, tokenNumber }: Person) =>
    `${date} ${tokenSeries} ${placeOfNumber(tokenNumber)}`;
  return [...people.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** An item by any number. */
export function at<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("there is none to choose from");
  return item;
}
