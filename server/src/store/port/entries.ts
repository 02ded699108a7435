import type { EntryStatus } from "@queue-api/contract";
import type { EntryInLine } from "../../rules/entry-answer.js";
import type { Claim } from "../../rules/idempotency.js";
import type { IssueRefusal, TokenRequest } from "../../rules/issue.js";
import type { Page } from "../../rules/list-answer.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import type { TransferRefusal, TransferRequest } from "../../rules/transfer.js";
import type { Move, MoveContext } from "../../rules/transitions.js";
import type { PageRequest } from "./page.js";

/** A request to issue a token. */
export interface IssueRequest extends TokenRequest {
  /** The claim of the idempotency key of this creation, if it has one. */
  readonly claim: Claim | null;
  /** Stored in the same step as the entry. Null if the creation is not an API request. */
  readonly audit: AuditRow | null;
}

export type IssueOutcome =
  | { readonly outcome: "issued"; readonly receipt: string }
  | { readonly outcome: IssueRefusal }
  /** An earlier request with the key issued the token; this is its receipt. */
  | { readonly outcome: "replay"; readonly receipt: string };

/** The options of a change of an entry. */
export interface ChangeOptions extends Omit<MoveContext, "now"> {
  /** Stored in the same step if the entry changes. Default: null, no row. */
  readonly audit?: AuditRow | null;
}

export type MoveOutcome =
  | { readonly outcome: "moved"; readonly entry: Entry }
  | { readonly outcome: "not_found" }
  /** The status does not allow the move, or the revision differs from `seen`. */
  | { readonly outcome: "invalid_state"; readonly status: EntryStatus };

export type TransferOutcome =
  /** `entry` is the old entry after the transfer, `joined` the new one. */
  | { readonly outcome: "transferred"; readonly entry: Entry; readonly joined: Entry }
  | { readonly outcome: TransferRefusal }
  | Exclude<MoveOutcome, { readonly outcome: "moved" }>;

/** The entries of a business's queues: reading them, issuing tokens and serving people. */
export interface EntryStore {
  get(businessId: string, entryId: string): Promise<EntryInLine | null>;
  /**
   * A day's entries in token order. The cursor must be an entry of that queue, in any status, of a day that
   * `listDay` allows.
   */
  page(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown">;
  /**
   * A page of a day as a response body, made by `encodedEntryList`. The adapter serializes it, because
   * copying fifty entries to another thread is slow.
   */
  list(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Uint8Array | "queue_not_found" | "cursor_unknown">;
  /**
   * Issues a token: decides with `refuseIssue`, assigns the next number of that queue and day, and stores the
   * entry, the audit row and the receipt (see `receiptOf`). If an entry with the claim id already exists,
   * returns that one.
   */
  issue(businessId: string, request: IssueRequest): Promise<IssueOutcome>;
  /** Applies `moved` to an entry, or `transferUndone` to both entries if the move takes back a transfer. */
  move(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    options?: ChangeOptions,
  ): Promise<MoveOutcome>;
  /**
   * Moves the person of an entry to another queue of the same day: decides with `refuseTransfer`, ends the
   * entry, and issues the next number of that queue, as `transferred` says.
   */
  transfer(
    businessId: string,
    entryId: string,
    request: TransferRequest,
    now: number,
    options?: Omit<ChangeOptions, "counter">,
  ): Promise<TransferOutcome>;
  /** Gives or removes the priority of a waiting entry, with `prioritized`. */
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
  /** Calls the entry at position 1 of that day; null if none is waiting. */
  callNext(businessId: string, queueId: string, date: string, now: number): Promise<Entry | null>;
}
