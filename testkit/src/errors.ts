import {
  InvalidSeedError as ServiceInvalidSeedError,
  OwnerError as ServiceOwnerError,
} from "../../server/src/in-process.js";

/** An act of the owner that is refused: no record has the id, or the record's state does not allow the act. */
export interface OwnerError extends Error {
  readonly name: "OwnerError";
  /** Why, for programs: `entry_not_found`, `invalid_state`, `nobody_waiting`… */
  readonly refusal: { readonly code: string };
}
export const OwnerError: abstract new () => OwnerError = ServiceOwnerError as never;

/** A seed that cannot be used. */
export interface InvalidSeedError extends OwnerError {
  /** Each wrong field, as in `businesses[0].queues[1].name`, with the reason. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}
export const InvalidSeedError: abstract new () => InvalidSeedError =
  ServiceInvalidSeedError as never;
