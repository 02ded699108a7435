import * as contract from "@queue-api/contract";
import type { Operations } from "./api.js";
import type { Changes } from "./fakes.js";

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
