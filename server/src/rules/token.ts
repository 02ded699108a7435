import type { Entry } from "./records.js";

/** The label that a customer sees: the series of the queue and the number of the day. */
export function tokenLabel({
  tokenSeries,
  tokenNumber,
}: Pick<Entry, "tokenSeries" | "tokenNumber">): string {
  return `${tokenSeries}${tokenNumber}`;
}
