import type { Operations } from "./generated/types.js";

/** The HTTP methods of API requests. */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The expected type of a value in an answer. `"a|b"` allows both; additional fields are allowed. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  | "string|null"
  | "number|null"
  | "boolean|null"
  | readonly [items: Shape]
  | { readonly [field: string]: Shape };

/** The shape of a success. Only the answers of paged operations have a `nextCursor`. */
interface AnswerShape {
  readonly [field: string]: Shape;
  readonly data: Shape;
}

/** The request and the answer of one API operation. */
export interface Operation {
  /** Name of the operation; `request` for one that this package does not know. */
  readonly id: keyof Operations | "request";
  /** The name in messages: the method of this package, such as `entries.get`. */
  readonly name: string;
  readonly method: HttpMethod;
  /** Path with `:name` for each parameter. */
  readonly path: string;
  /** Status of a success. */
  readonly status: number;
  /** Shape of the answer; null if it is unknown. */
  readonly answer: AnswerShape | null;
  /** Whether the request carries an idempotency key. */
  readonly sendsIdempotencyKey: boolean;
}
