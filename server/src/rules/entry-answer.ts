import type { Entry as EntryAnswer, EntryWithPosition } from "@queue-api/contract";
import { type Ahead, type LinePace, position, predictedWait } from "./line.js";
import { encodedListAnswer, type Page } from "./list-answer.js";
import type { Entry } from "./records.js";
import { timestamp, timestampOrNull } from "./timestamp.js";
import { tokenLabel } from "./token.js";

/** An entry and, while it waits, its place in the line. */
export interface EntryInLine {
  readonly entry: Entry;
  /** Null unless the entry is waiting. */
  readonly line: { readonly ahead: Ahead; readonly pace: LinePace } | null;
}

/** An entry as answers show it. Each field is named, so that no other field can slip out. */
export function entryAnswer({ entry, line }: EntryInLine): EntryAnswer {
  return {
    id: entry.id,
    token: tokenLabel(entry.tokenSeries, entry.tokenNumber),
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

/** A page of entries as the body of a list's answer; what is no page is why there is none, and stays as it is. */
export function encodedEntryList<Reason extends string>(
  found: Page<EntryInLine> | Reason,
): Uint8Array | Reason {
  return typeof found === "string" ? found : encodedListAnswer(found, entryAnswer);
}

export function entryWithPosition(found: EntryInLine): EntryWithPosition {
  return { ...entryAnswer(found), position: found.line && position(found.line.ahead) };
}

/** The body of a creation's answer. */
export interface Created {
  readonly data: EntryWithPosition;
}

/**
 * The receipt of an issued token: the body of its creation's answer, as JSON text. It is made once, in the
 * step that issues the token, then sent as it is and kept for replays. To the store it is opaque.
 */
export function receiptOf(issued: EntryInLine): string {
  return JSON.stringify({ data: entryWithPosition(issued) } satisfies Created);
}

/** What a receipt says. */
export function readReceipt(receipt: string): Created {
  return JSON.parse(receipt) as Created;
}
