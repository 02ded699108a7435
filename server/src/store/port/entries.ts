import type { EntryStatus } from "@queue-api/contract";
import type { KeyedOutcome, KeyedRequest } from "../../rules/idempotency.js";
import type { IssueRefusal, TokenRequest } from "../../rules/issue.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import type { EntryInLine } from "../../rules/resources.js";
import type {
  Correction,
  Move,
  MoveContext,
  MoveOutcome,
  TransferOutcome,
} from "../../rules/transitions.js";
import type { Page, PageRequest } from "./page.js";

/** A request to issue a token. */
export interface IssueRequest extends TokenRequest {
  /** Null if the creation has no idempotency key. */
  readonly keyed: KeyedRequest | null;
  /** The URL of the entry, for its receipt. Default: its path. */
  readonly location?: string;
  /** Stored in the same step as the entry. Null if the creation is not an API request. */
  readonly audit: AuditRow | null;
}

export type IssueOutcome =
  | { readonly outcome: "issued"; readonly receipt: string }
  | KeyedOutcome
  | { readonly outcome: IssueRefusal };

/** The options of a change of an entry. */
interface ChangeOptions extends Omit<MoveContext, "now"> {
  /** Stored in the same step if the entry changes. Default: null, no row. */
  readonly audit?: AuditRow | null;
}

/** The entries of a business's queues: reading them, issuing tokens and serving people. */
export interface EntryStore {
  get(businessId: string, entryId: string): Promise<EntryInLine | null>;
  /** The entries with these ids, in any order. Ids that the business does not have are left out. */
  byIds(businessId: string, entryIds: readonly string[]): Promise<readonly Entry[]>;
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
  /** What `decideKeyed` answers to a request whose key an entry of the business holds; null if the key is free. */
  replayOf(businessId: string, keyed: KeyedRequest): Promise<KeyedOutcome | null>;
  /**
   * Issues a token. If an entry of the business holds the key, `decideKeyed` decides; a replay wins over a
   * refusal. Else decides with `refuseIssue` and writes one record: the entry with the next number of that
   * queue and day (also after numbers that people left), the next place in the day, the audit row, the key
   * and the receipt (see `receiptOf`). An expired key of another entry is freed in the same step. A refusal
   * stores nothing.
   */
  issue(businessId: string, request: IssueRequest): Promise<IssueOutcome>;
  /** Applies `moved` to an entry. Its undo also takes a transfer back. */
  move(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    options?: ChangeOptions,
  ): Promise<MoveOutcome>;
  /**
   * Moves the person of an entry to another queue of the same day: decides with `decideTransfer`, which gives
   * the entry the next number of that queue.
   */
  transfer(
    businessId: string,
    entryId: string,
    queueId: string,
    options?: Omit<ChangeOptions, "counter">,
  ): Promise<TransferOutcome>;
  /** Corrects the name, phone number or service of an entry, with `corrected`. */
  correct(
    businessId: string,
    entryId: string,
    correction: Correction,
    options?: Omit<ChangeOptions, "counter">,
  ): Promise<MoveOutcome>;
  /** Calls the entry at position 1 of that day; null if none is waiting. */
  callNext(businessId: string, queueId: string, date: string, now: number): Promise<Entry | null>;
}
