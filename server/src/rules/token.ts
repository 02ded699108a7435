import type { Entry } from "./records.js";

/** The label that a customer sees: the series of the queue and the number of the day. */
export function tokenLabel({
  tokenSeries,
  tokenNumber,
}: Pick<Entry, "tokenSeries" | "tokenNumber">): string {
  return `${tokenSeries}${tokenNumber}`;
}

type QueueToken = Pick<Entry, "queueId" | "tokenNumber">;

/** The token of an entry, and the earlier ones that its person left. Their numbers are never given again. */
export function allTokens(entry: QueueToken & Pick<Entry, "earlierTokens">): readonly QueueToken[] {
  return [entry, ...entry.earlierTokens];
}

/** A token as a text that no other entry of the day has. Its digits give texts the order of numbers. */
export function tokenKey({ queueId, tokenNumber }: QueueToken): string {
  return `${queueId}:${`${tokenNumber}`.padStart(6, "0")}`;
}

/** The number of a text that {@link tokenKey} made. */
export function numberOfToken(token: string): number {
  return Number(token.slice(token.lastIndexOf(":") + 1));
}
