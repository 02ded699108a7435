import { hash } from "node:crypto";

/** A board as browsers show it at one time: a piece of HTML for each queue, which all viewers share. */
export interface Snapshot {
  /** Equal boards have the same id, in all processes. */
  readonly id: string;
  /** The id of what surrounds the pieces; see `frameOf`. */
  readonly frame: string;
  /** What an element contains, by its id. */
  readonly pieces: ReadonlyMap<string, string>;
}

export function snapshotOf(frame: string, pieces: ReadonlyMap<string, string>): Snapshot {
  const id = hash("sha256", JSON.stringify([frame, [...pieces]]), "base64url").slice(0, 20);
  return { id, frame, pieces };
}

/** The pieces in which a snapshot differs from an earlier one of the same frame; from null, all of them. */
export function patch(from: Snapshot | null, to: Snapshot): string {
  return [...to.pieces]
    .filter(([id, text]) => from?.pieces.get(id) !== text)
    .map(([id, text]) => `<div id="${id}">${text}</div>`)
    .join("\n");
}
