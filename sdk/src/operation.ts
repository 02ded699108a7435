import type { Operations } from "./generated/types.js";

/** The methods of HTTP that a request of the API can have. */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a value of an answer must be. `"a|b"` allows both; more fields than named are welcome. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  | "string|null"
  | "number|null"
  | "boolean|null"
  | readonly [items: Shape]
  | { readonly [field: string]: Shape };

/** How one operation of the API is asked, and what its answer looks like. */
export interface Operation {
  /** Name of the operation; `request` for one that this package does not know. */
  readonly id: keyof Operations | "request";
  /** What messages call it: the method of this package, such as `entries.get`. */
  readonly name: string;
  readonly method: HttpMethod;
  /** Path with `:name` for each parameter. */
  readonly path: string;
  /** Status of a success. */
  readonly status: number;
  /** Shape of the answer's `data`; null where nothing is known of the answer. */
  readonly data: Shape | null;
  /** Whether the answer carries a `nextCursor`. */
  readonly paged: boolean;
  /** Whether the request carries an idempotency key. */
  readonly sendsIdempotencyKey: boolean;
}
