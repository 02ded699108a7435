import type { Entry as EntryAnswer, EntryWithPosition } from "@queue-api/contract";
import { type EntryInLine, position, predictedWait } from "./line.js";
import { timestamp, timestampOrNull } from "./timestamp.js";
import { tokenLabel } from "./token.js";

/** An entry as responses show it. Each field is named, so that no other field can leak. */
export function entryAnswer({ entry, line }: EntryInLine): EntryAnswer {
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

export function entryWithPosition(found: EntryInLine): EntryWithPosition {
  const place = { position: found.line && position(found.line.ahead) };
  return Object.assign(entryAnswer(found), place);
}
