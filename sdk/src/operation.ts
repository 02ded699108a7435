import type { Operations } from "./generated/types.js";

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
  /** Name of the operation. */
  readonly id: keyof Operations;
  readonly method: "GET" | "POST";
  /** Path with `:name` for each parameter. */
  readonly path: string;
  /** Status of a success. */
  readonly status: number;
  /** Shape of the answer's `data`. */
  readonly data: Shape;
  /** Whether the answer carries a `nextCursor`. */
  readonly paged: boolean;
  /** Whether the request carries an idempotency key. */
  readonly keyed: boolean;
}
