import type { ApiPromise } from "./api-promise.js";
import type { Operations } from "./generated/types.js";
import type { CallOptions, CreateOptions } from "./options.js";
import type { Pages } from "./page.js";

/** The fields that are not empty. */
type Present<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends undefined ? never : Name]: Fields[Name];
};

type Of<Id extends keyof Operations, Part extends keyof Operations[Id]> = Operations[Id][Part];

/** The input of an operation: its path parameters and its body, if it has any, and its query. */
export type Input<Id extends keyof Operations> = Present<Pick<Operations[Id], "params" | "body">> &
  (Of<Id, "query"> extends undefined ? unknown : { readonly query?: Of<Id, "query"> | undefined });

/** The operations whose answers are paged. */
export type PagedOperation = "listEntries" | "listAppointments";

/** Sends the calls of the resources. */
export interface Sender {
  /** Starts a call. */
  send<Id extends keyof Operations>(
    operation: Id,
    input: Input<Id>,
    options?: CreateOptions,
  ): ApiPromise<Of<Id, "data">>;
  /** A list that is fetched on demand. `stop` aborts it, like the signal in the options. */
  pages<Id extends PagedOperation>(
    operation: Id,
    input: Input<Id>,
    options?: CallOptions,
  ): Pages<Of<Id, "data">[number]>;
}
