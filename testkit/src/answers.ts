import * as contract from "@queue-api/contract";
import type { Operations } from "./api.js";
import * as option from "./check-options.js";
import { type Changes, fakes } from "./fakes.js";
import { Plan } from "./plan.js";

type FieldsOf<Data> = Data extends readonly (infer Item)[]
  ? readonly Changes<Item>[]
  : Changes<Data>;

/** The fields of a fixed answer, by route. A list has an object for each item. */
export interface AnswerFields {
  "GET /v1/me": FieldsOf<Operations["me.get"]>;
  "GET /v1/services": FieldsOf<Operations["services.list"]>;
  "GET /v1/queues": FieldsOf<Operations["queues.list"]>;
  "GET /v1/queues/:queueId": FieldsOf<Operations["queues.get"]>;
  "GET /v1/queues/:queueId/entries": FieldsOf<Operations["entries.list"]>;
  "POST /v1/queues/:queueId/entries": FieldsOf<Operations["entries.create"]>;
  "GET /v1/entries/:entryId": FieldsOf<Operations["entries.get"]>;
  "POST /v1/entries/:entryId/cancel": FieldsOf<Operations["entries.cancel"]>;
  "GET /v1/appointments": FieldsOf<Operations["appointments.list"]>;
  "GET /v1/appointments/:appointmentId": FieldsOf<Operations["appointments.get"]>;
}

/** A route that can have a fixed answer: every route that needs a key. */
export type AnswerRoute = keyof AnswerFields;

/** A route of the API by its method and path. */
export type RouteName = AnswerRoute | "GET /v1" | "GET /v1/openapi.json";

/** Every route of the API by its method and path, in the order of the document. */
export const routeNames: readonly RouteName[] = contract.routeNames;

/** The options of a fixed answer. */
export interface AnswerOptions {
  /** How many requests get the answer. Default 1. */
  readonly times?: number | undefined;
  /** Of a paged list: the cursor of the next page, 20 to 32 letters and digits. Default null: this is the last page. */
  readonly nextCursor?: string | null | undefined;
  /** Of a creation: whether it is the stored result of an earlier request. Default false. */
  readonly replay?: boolean | undefined;
}

/** The fixed answers for the next requests. */
export interface Answers {
  /**
   * Gives the next request of a route a fixed success. The service checks the request as usual (key, limits, scope,
   * fields), and then changes nothing: it answers with these fields, and with valid values in the others. A status may
   * be a word that the API does not have yet. An object has the requested id and date, a created entry the customer
   * that was sent. Several answers of a route are given in the order of the calls. Throws RangeError for an unknown
   * route, field or option, and for an invalid value.
   *
   * @example
   * mock.answers.next("POST /v1/queues/:queueId/entries", { token: "Z99", position: 42 });
   * mock.answers.next("GET /v1/queues", [{ name: "Front desk" }, { name: "Laboratory" }]);
   */
  next<Route extends AnswerRoute>(
    route: Route,
    fields?: AnswerFields[Route],
    options?: AnswerOptions,
  ): void;
  /** The number of unused answers. */
  readonly pending: number;
  /** Removes the unused answers. */
  clear(): void;
}

/** The parts of a checked request that its answer repeats, and the address of the service. */
interface CheckedRequest {
  readonly baseUrl: string;
  readonly id?: string | undefined;
  readonly date?: string | undefined;
  readonly body?: unknown;
}

/** Makes the answer of an endpoint: its status, its body, and its headers beside those of every answer. */
type Make = (request: CheckedRequest) => {
  readonly status: number;
  readonly body: { readonly data: object };
  readonly headers: Readonly<Record<string, string>>;
};

/** The unused fixed answers of a test. @internal */
export class PlannedAnswers extends Plan<Make> implements Answers {
  /** The number of items on the pages before the next one of a list, so that no two of its pages have an id in common. */
  readonly #itemsBefore = new Map<AnswerRoute, number>();

  next<Route extends AnswerRoute>(
    route: Route,
    fields?: AnswerFields[Route],
    options: AnswerOptions = {},
  ): void {
    option.checkValue("route", route, option.oneOf(Object.keys(dataOf)));
    option.checkOptions(options, { times: option.wholeNumber(1), ...optionsOf(route) });
    const { nextCursor = null, replay } = options;
    const before = this.#itemsBefore.get(route) ?? 0;
    const make: Make = (request) => {
      const data = dataOf[route](fields, request, before);
      const body = { data, ...(paged.includes(route) && { nextCursor }) };
      if (route !== creation) return { status: 200, body, headers: {} };
      const headers = {
        Location: `${request.baseUrl}/v1/entries/${(data as { id: string }).id}`,
        ...(replay && { "Idempotent-Replay": "true" }),
      };
      return { status: 201, body, headers };
    };
    const { data } = make({ baseUrl: "" }).body; // refuses wrong fields here, and not at the request
    this.add(route, make, options.times);
    const count = Array.isArray(data) ? data.length : 0;
    this.#itemsBefore.set(route, nextCursor === null ? 0 : before + count);
  }

  override clear(): void {
    super.clear();
    this.#itemsBefore.clear();
  }
}

const creation = "POST /v1/queues/:queueId/entries";
const paged: readonly AnswerRoute[] = ["GET /v1/queues/:queueId/entries", "GET /v1/appointments"];

/** The SDK and the service refuse a text that is no cursor. */
function cursor(value: unknown): string | null {
  const isCursor =
    typeof value === "string" && contract.textRules.cursor.every(({ holds }) => holds(value));
  return isCursor ? null : "must be a text of 20 to 32 letters and digits";
}

function optionsOf(route: AnswerRoute) {
  return {
    ...(paged.includes(route) && { nextCursor: option.orNull(cursor) }),
    ...(route === creation && { replay: option.ofType("boolean") }),
  };
}

type Data<Fields> = (
  fields: Fields | undefined,
  request: CheckedRequest,
  itemsBefore: number,
) => object;

const dataOf: { readonly [Route in AnswerRoute]: Data<AnswerFields[Route]> } = {
  "GET /v1/me": (fields) => fakes.me(fields),
  "GET /v1/services": items(fakes.service),
  "GET /v1/queues": items(fakes.queue),
  "GET /v1/queues/:queueId": item((fields, date) => fakes.queueSummary({ date, ...fields })),
  "GET /v1/queues/:queueId/entries": items((fields, _, at) =>
    fakes.entry({ ...(fields.token === undefined && { tokenNumber: at + 1 }), ...fields }),
  ),
  [creation]: (fields = {}, { body }) =>
    fakes.entryWithPosition({ ...sent(body), ...option.fieldsIn(fields) }),
  "GET /v1/entries/:entryId": item(fakes.entryWithPosition),
  "POST /v1/entries/:entryId/cancel": item((fields) =>
    fakes.entry({ status: "CANCELED", ...fields }),
  ),
  "GET /v1/appointments": items((fields, date) => fakes.appointment({ date, ...fields })),
  "GET /v1/appointments/:appointmentId": item(fakes.appointment),
};

function item<Fields extends object>(
  make: (fields: Fields, date?: string) => object,
): Data<Fields> {
  return (fields = {} as Fields, { id, date }) => make({ id, ...option.fieldsIn(fields) }, date);
}

/** A list of objects, each with an id of its own. Without fields, one object. */
function items<Fields extends object>(
  make: (fields: Fields, date: string | undefined, at: number) => { readonly id: string },
): Data<readonly Fields[]> {
  return (list = [{} as Fields], { date }, itemsBefore) => {
    if (!Array.isArray(list)) throw new RangeError("the fields must be a list of objects");
    return list.map((fields: Fields, at) => {
      const made = make(option.fieldsIn(fields), date, at);
      const id = `${made.id.slice(0, -4)}${String(itemsBefore + at).padStart(4, "0")}`;
      return "id" in fields ? made : { ...made, id };
    });
  };
}

/** The fields of a created entry that repeat the body of the request. */
function sent(body: unknown) {
  if (!body) return {};
  const { name, phone, serviceId = null } = body as contract.CreateEntryRequest;
  return { customer: { name, phone: contract.digitsOf(phone) }, serviceId };
}
