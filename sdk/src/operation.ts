import type { Operations } from "./generated/types.js";

/** The HTTP methods of API requests. */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The method of this package that a call belongs to, such as `entries.get`. */
export type OperationName = keyof Operations | "request";

/** The expected type of a value in a response. `"a|b"` allows both; additional fields are allowed. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  | "string|null"
  | "number|null"
  | "boolean|null"
  | readonly [items: Shape]
  | { readonly [field: string]: Shape };

/** The request and the response of one API operation. */
export interface Operation {
  readonly name: OperationName;
  readonly method: HttpMethod;
  /** Path with `:name` for each parameter. */
  readonly path: string;
  /** Shape of `data` in the response; null for `request`, whose response may have any. */
  readonly data: Shape | null;
  /** Whether the response is a page of a list. */
  readonly isPage: boolean;
  /** Whether the request carries an idempotency key. */
  readonly sendsIdempotencyKey: boolean;
}

/** The document of a successful response. */
export interface Envelope {
  readonly data: unknown;
  readonly nextCursor?: string | null;
}

/**
 * What is known of a call before it is sent, for its errors and its log. A wrong argument is left out: it can be anything,
 * such as the API key.
 */
export interface CallFacts {
  readonly operation: OperationName;
  readonly method?: HttpMethod;
  readonly path?: string;
  /** The path parameters, such as `queueId`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Null if there is none, or if it is still to be derived from a text. */
  readonly idempotencyKey: string | null;
}

export function titleOf({ name, method, path }: Operation): string {
  return name === "request" ? `${method} ${path}` : name;
}
