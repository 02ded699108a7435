import type { Window } from "../rules/window.js";
import type { Tx } from "../store/port.js";
import type { Stored, WindowsRecord } from "../store/tables.js";

/** The id of the windows of a key. */
export function keyWindowsId(keyId: string): string {
  return `key ${keyId}`;
}

/**
 * How long the windows of a key are kept after they began. They tell when the key was last used, so they stay longer than
 * a key is valid.
 */
export const keyWindowsKeptSeconds = 400 * 86_400;

/** The id of the window of the failed API sign-ins of a subject. */
export function subjectWindowId(subject: string): string {
  return `subject ${subject}`;
}

/** Writes windows as they are after a charge. They are kept for `seconds` after they began. */
export function keepWindows(
  tx: Tx,
  before: Stored<"windows"> | null,
  { id, requests, writes }: Pick<WindowsRecord, "id" | "requests" | "writes">,
  seconds: number,
): void {
  const ends = [requests, writes].map((window) => (window ? endOf(window, seconds) : 0));
  const record = { id, requests, writes, endsAt: Math.max(...ends) };
  if (before) tx.update("windows", before, record);
  else tx.insert("windows", record);
}

function endOf({ startedAt }: Window, seconds: number): number {
  return startedAt + seconds * 1_000;
}
