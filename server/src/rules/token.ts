import type { Entry } from "./records.js";

/** The label that a customer sees: the series of the queue and the number of the day. */
export function tokenLabel({
  tokenSeries,
  tokenNumber,
}: Pick<Entry, "tokenSeries" | "tokenNumber">): string {
  return `${tokenSeries}${tokenNumber}`;
}

type Place = Pick<Entry, "queueId" | "tokenNumber">;

/** The place of an entry, and the earlier ones that its person left. Their numbers are never given again. */
export function placesOfEntry(entry: Place & Pick<Entry, "earlierPlaces">): readonly Place[] {
  return [entry, ...entry.earlierPlaces];
}

/** A place as a text that no other entry of the day has. Its digits give texts the order of numbers. */
export function tokenAt({ queueId, tokenNumber }: Place): string {
  return `${queueId}:${`${tokenNumber}`.padStart(6, "0")}`;
}

/** The number of a text that {@link tokenAt} made. */
export function numberOfToken(token: string): number {
  return Number(token.slice(token.lastIndexOf(":") + 1));
}
