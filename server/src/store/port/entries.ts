import type { EntryStatus } from "@queue-api/contract";
import type { EntryInLine } from "../../rules/entry-answer.js";
import type { Claim } from "../../rules/idempotency.js";
import type { IssueRefusal, TokenRequest } from "../../rules/issue.js";
import type { Page } from "../../rules/list-answer.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import type { Move, MoveContext } from "../../rules/transitions.js";
import type { PageRequest } from "./page.js";

/** A token to be issued. */
export interface IssueRequest extends TokenRequest {
  /** The claim of the idempotency key that this creation holds, if it came with one. */
  readonly claim: Claim | null;
  /** Kept in the same step as the entry. Null for a creation that is not a request. */
  readonly audit: AuditRow | null;
}

export type IssueOutcome =
  | { readonly outcome: "issued"; readonly receipt: string }
  | { readonly outcome: IssueRefusal }
  /** An earlier request with the key issued the token; this is its receipt. */
  | { readonly outcome: "replay"; readonly receipt: string };

/** What a change of an entry comes with. */
export interface ChangeOptions extends Omit<MoveContext, "now"> {
  /** Kept in the same step, if the entry was changed. Default: null, none. */
  readonly audit?: AuditRow | null;
}

export type MoveOutcome =
  | { readonly outcome: "moved"; readonly entry: Entry }
  | { readonly outcome: "not_found" }
  /** Its state does not allow the move, or it is not as it was seen. */
  | { readonly outcome: "invalid_state"; readonly status: EntryStatus };

/** The entries of a business's queues: reading them, issuing tokens and serving people. */
export interface EntryStore {
  get(businessId: string, entryId: string): Promise<EntryInLine | null>;
  /** A day's entries in token order. The cursor must be an entry of that queue and of a day by `listDay`, in any state. */
  page(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown">;
  /** A day's page as its answer's body, by `encodedEntryList`. It is made where the entries are read: fifty take long to copy. */
  list(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Uint8Array | "queue_not_found" | "cursor_unknown">;
  /**
   * Issues a token: decides by `refuseIssue`, gives the next number of that queue and day, and keeps
   * entry, audit row and receipt (see `receiptOf`). An entry that carries the claim's id already is the result.
   */
  issue(businessId: string, request: IssueRequest): Promise<IssueOutcome>;
  /** Moves an entry by `moved`. */
  move(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    options?: ChangeOptions,
  ): Promise<MoveOutcome>;
  /** Gives a waiting entry priority, or takes it away, by `prioritized`. */
  setPriority(
    businessId: string,
    entryId: string,
    priority: boolean,
    options?: ChangeOptions,
  ): Promise<MoveOutcome>;
  /** Calls an entry if it is at position 1 of its line. */
  callIfNext(
    businessId: string,
    entryId: string,
    now: number,
    options?: ChangeOptions,
  ): Promise<MoveOutcome | { readonly outcome: "not_next" }>;
  /** Calls the entry at position 1 of that day; null when none is waiting. */
  callNext(businessId: string, queueId: string, date: string, now: number): Promise<Entry | null>;
}
