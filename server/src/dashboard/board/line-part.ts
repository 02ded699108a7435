import type { Request } from "express";
import type { LinePart } from "../../operations/boards.js";

/** How many people of a line one page shows. */
export const peopleAPage = 200;

/** The part of a line that a URL requests, if the queue is one of these; else null. */
export function askedPart(
  { all, from }: Request["query"],
  queues: readonly { readonly id: string }[],
): LinePart | null {
  if (typeof all !== "string" || !queues.some(({ id }) => id === all)) return null;
  const place = typeof from === "string" && /^\d{1,9}$/.test(from) ? Number(from) : 1;
  const pagesBefore = Math.floor(Math.max(0, place - 1) / peopleAPage);
  return { queueId: all, from: pagesBefore * peopleAPage + 1, limit: peopleAPage };
}

/** The URL query that requests a part; empty for none. */
export function queryOfPart(part: Pick<LinePart, "queueId" | "from"> | null): string {
  if (part === null) return "";
  return `?all=${part.queueId}${part.from > 1 ? `&from=${part.from}` : ""}`;
}
