import type { ApiPromise } from "./api-promise.js";
import type { Operations } from "./generated/types.js";
import type { CallOptions, CreateOptions } from "./options.js";
import type { Pages } from "./page.js";

/** Fields that hold something; the others are left out. */
type Present<Fields> = {
  readonly [Name in keyof Fields as Fields[Name] extends undefined ? never : Name]: Fields[Name];
};

type Of<Id extends keyof Operations, Part extends keyof Operations[Id]> = Operations[Id][Part];

/** What an operation takes: its path parameters and its body, where it has any, and its query. */
export type Input<Id extends keyof Operations> = Present<Pick<Operations[Id], "params" | "body">> &
  (Of<Id, "query"> extends undefined ? unknown : { readonly query?: Of<Id, "query"> | undefined });

/** The operations that answer with pages. */
export type PagedOperation = "listEntries" | "listAppointments";

/** What resources send their calls with. */
export interface Sender {
  /** Starts a call. */
  send<Id extends keyof Operations>(
    operation: Id,
    input: Input<Id>,
    options?: CreateOptions,
  ): ApiPromise<Of<Id, "data">>;
  /** A list that is fetched as it is read. `stop` ends it as the signal of the options does. */
  pages<Id extends PagedOperation>(
    operation: Id,
    input: Input<Id>,
    options?: CallOptions,
  ): Pages<Of<Id, "data">[number]>;
}
