import { setTimeout as pause } from "node:timers/promises";

/**
 * The codes of a write that the server ended because it conflicts with another one: WriteConflict, and the
 * deadlock of PostgreSQL (40P01), which FerretDB passes on as a number.
 */
const conflicts: ReadonlySet<unknown> = new Set([112, 16_908_292]);

/** How often a write is sent at most. */
const mostSent = 5;

/**
 * The pause before a write is sent again grows by this with each time. It lets the other writes end: a write
 * that comes back at once would conflict with them again.
 */
const pauseMs = 50;

/** A response of the server, as an object or as bytes that are not read yet. */
interface Response {
  readonly writeErrors?: readonly { readonly code?: unknown }[];
  has?(name: string): boolean;
  toObject?(): Response;
}

/** Whether the server ended a write because it conflicts with another one. Such a write changed nothing. */
export function isWriteConflict(error: unknown): boolean {
  return conflicts.has((error as { code?: unknown } | undefined)?.code);
}

/**
 * Sends a command, and sends it again if it is one write that conflicts with another. MongoDB itself repeats
 * such a write; DocumentDB ends one of two writes that wait for each other, for example of two inserts with
 * the same unique value. A command that changes several documents is sent once: some may be changed. Each
 * time has the time limits of a command of its own.
 */
export async function repeatConflict(
  command: object,
  send: () => Promise<unknown>,
): Promise<unknown> {
  const most = isOneWrite(command) ? mostSent : 1;
  for (let times = 1; times < most; times++) {
    try {
      const response = await send();
      if (!errorsOf(response).some(isWriteConflict)) return response;
    } catch (error) {
      if (!isWriteConflict(error)) throw error;
    }
    await pause(times * pauseMs);
  }
  return send();
}

function isOneWrite(command: object): boolean {
  if ("findAndModify" in command) return true;
  const { documents, updates, deletes } = command as Readonly<Record<string, unknown>>;
  const writes = documents ?? updates ?? deletes;
  // The driver sends a list, or an object that contains it.
  const list = (writes as { documents?: unknown } | undefined)?.documents ?? writes;
  if (!Array.isArray(list) || list.length !== 1) return false;
  const [{ multi = false, limit = 1 }] = list; // an update, or a deletion, of many documents
  return !multi && limit === 1;
}

function errorsOf(response: unknown): NonNullable<Response["writeErrors"]> {
  const { has, toObject, writeErrors = [] } = response as Response;
  if (!has || !toObject) return writeErrors;
  return has.call(response, "writeErrors") ? errorsOf(toObject.call(response)) : [];
}
