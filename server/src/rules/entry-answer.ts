import type { Entry as EntryAnswer, EntryWithPosition } from "@queue-api/contract";
import { type Ahead, type LinePace, position, predictedWait } from "./line.js";
import { encodedListAnswer, type Page } from "./list-answer.js";
import type { Entry } from "./records.js";
import { timestamp, timestampOrNull } from "./timestamp.js";
import { tokenLabel } from "./token.js";

/** The fields of an entry that its response needs. */
export type AnsweredEntry = Pick<
  Entry,
  | "id"
  | "tokenSeries"
  | "tokenNumber"
  | "status"
  | "priority"
  | "serviceId"
  | "customerName"
  | "customerPhone"
  | "issuedAt"
  | "startedAt"
  | "completedAt"
  | "canceledAt"
>;

/** An entry, or the read part of it, with its place in the line while it waits. */
export interface EntryInLine<Read = Entry> {
  readonly entry: Read;
  /** Null unless the entry is waiting. */
  readonly line: { readonly ahead: Ahead; readonly pace: LinePace } | null;
}

/** An entry as responses show it. Each field is named, so that no other field can leak. */
export function entryAnswer({ entry, line }: EntryInLine<AnsweredEntry>): EntryAnswer {
  return {
    id: entry.id,
    token: tokenLabel(entry),
    tokenSeries: entry.tokenSeries,
    tokenNumber: entry.tokenNumber,
    status: entry.status,
    priority: entry.priority,
    serviceId: entry.serviceId,
    customer: { name: entry.customerName, phone: entry.customerPhone },
    issuedAt: timestamp(entry.issuedAt),
    startedAt: timestampOrNull(entry.startedAt),
    completedAt: timestampOrNull(entry.completedAt),
    canceledAt: timestampOrNull(entry.canceledAt),
    predictedWaitMinutes: line && predictedWait(line.ahead, line.pace),
  };
}

/** A page of entries as the response body of a list. A reason why there is no page is returned unchanged. */
export function encodedEntryList<Reason extends string>(
  found: Page<EntryInLine<AnsweredEntry>> | Reason,
): Uint8Array | Reason {
  return typeof found === "string" ? found : encodedListAnswer(found, entryAnswer);
}

export function entryWithPosition(found: EntryInLine): EntryWithPosition {
  const place = { position: found.line && position(found.line.ahead) };
  return Object.assign(entryAnswer(found), place);
}

/** The response body of a creation. */
export interface Created {
  readonly data: EntryWithPosition;
}

/**
 * The receipt of an issued token: the response body of its creation, as JSON text. The step that issues the
 * token creates the receipt once. It is sent unchanged and stored for replays. The store does not parse it.
 */
export function receiptOf(issued: EntryInLine): string {
  return JSON.stringify({ data: entryWithPosition(issued) } satisfies Created);
}

/** The content of a receipt. */
export function readReceipt(receipt: string): Created {
  return JSON.parse(receipt) as Created;
}
