import mongoose, { mongo } from "mongoose";
import { StoreUnavailableError } from "../errors.js";

/* What the errors of the driver mean. */

/** Codes of a server that responds but cannot serve now: not the primary, shutting down, timed out. */
const passing = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

/** Codes of the system for a broken connection. The driver passes some of them on unchanged. */
const broken = new Set(["EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT"]);

/** Codes of a name server that does not answer, or cannot at the moment. A URL with `mongodb+srv:` asks it for the hosts. */
const unresolved = new Set<unknown>(["ESERVFAIL", "ETIMEOUT", "EAI_AGAIN"]);

/** Whether an error means that the database cannot be reached, or did not respond in time. */
export function isUnavailable(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  if (
    error instanceof StoreUnavailableError ||
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoWriteConcernError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongoose.Error.MongooseServerSelectionError ||
    error instanceof mongo.MongoNotConnectedError ||
    // The client was closed, to connect again.
    error instanceof mongo.MongoClientClosedError ||
    error instanceof mongo.MongoExpiredSessionError ||
    error instanceof mongo.MongoTopologyClosedError
  ) {
    return true;
  }
  const { name = "", message = "", code } = error as Partial<Error> & { code?: unknown };
  if (/before initial connection is complete|Connection was force closed/.test(message)) {
    return true;
  }
  // The driver does not export the errors of its connection pool: cleared, closed, wait timed out.
  if (/^Mongo(Pool|WaitQueue)|^PoolCleared/.test(name)) return true;
  if (isBrokenSocket(error) || unresolved.has(code)) return true;
  return error instanceof mongo.MongoServerError && passing.has(Number(code));
}

/** Whether a command was given a connection that was already closed. The driver does not repeat such a command. */
export function isBrokenSocket(error: unknown): boolean {
  const code = codeOf(error);
  return typeof code === "string" && broken.has(code);
}

/** The original error. The driver wraps errors of bulk writes, including a broken connection. */
function unwrapped(error: unknown): unknown {
  const { errorResponse } = error as { errorResponse?: unknown };
  return error instanceof mongo.MongoBulkWriteError && errorResponse instanceof Error
    ? errorResponse
    : error;
}

/**
 * Codes of a write that the server ended because it conflicts with another one, and that changed nothing:
 * WriteConflict, and the deadlock of PostgreSQL (40P01), which DocumentDB passes on as a number.
 */
const conflicts: ReadonlySet<unknown> = new Set([112, 16_908_292]);

export function isConflict(error: unknown): boolean {
  return conflicts.has(codeOf(error));
}

/** Whether a document has the values of another one in a unique index. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === 11_000;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
