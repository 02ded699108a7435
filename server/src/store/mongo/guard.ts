import { setTimeout as pause } from "node:timers/promises";
import mongoose, { mongo } from "mongoose";
import { StoreUnavailableError } from "../errors.js";

/*
 * What the driver leaves open. A command that waits for a socket which has closed never ends, so each command
 * has a time limit here. Some errors of closing connections have no label, so that the driver does not repeat
 * the command: here a command that is safe to repeat is repeated once.
 */

/** Error codes of a server that responds but cannot serve now: not the primary, shutting down, timed out. */
const passing = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

/** Error codes of the system for a broken connection. The driver passes some of them on unchanged. */
const broken = new Set(["EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT"]);

/** Whether an error means that the database cannot be reached, or not in time. */
export function isUnavailable(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  if (
    error instanceof StoreUnavailableError ||
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongoose.Error.MongooseServerSelectionError ||
    error instanceof mongo.MongoOperationTimeoutError ||
    error instanceof mongo.MongoNotConnectedError ||
    error instanceof mongo.MongoTopologyClosedError
  ) {
    return true;
  }
  const { name = "", message = "", code } = error as Partial<Error> & { code?: unknown };
  if (/before initial connection is complete|Connection was force closed/.test(message))
    return true;
  // The driver does not export the errors of its connection pool: cleared, closed, wait timed out.
  if (/^Mongo(Pool|WaitQueue)|^PoolCleared/.test(name)) return true;
  if (typeof code === "string") return broken.has(code);
  return error instanceof mongo.MongoServerError && passing.has(Number(code));
}

/** The original error. The driver wraps errors of bulk writes, including a broken connection. */
function unwrapped(error: unknown): unknown {
  const { errorResponse } = error as { errorResponse?: unknown };
  return error instanceof mongo.MongoBulkWriteError && errorResponse instanceof Error
    ? errorResponse
    : error;
}

/**
 * The codes of a write that the server ended because it conflicts with another one, and that changed nothing:
 * WriteConflict, and the deadlock of PostgreSQL (40P01), which DocumentDB passes on as a number.
 */
const conflicts: ReadonlySet<unknown> = new Set([112, 16_908_292]);

function isWriteConflict(error: unknown): boolean {
  return conflicts.has((error as { code?: unknown } | undefined)?.code);
}

/** The name of the unique index that a document conflicts with, or null for any other error. */
export function duplicateOf(error: unknown): string | null {
  const { code, errmsg, message } = error as { code?: unknown; errmsg?: string; message?: string };
  if (code !== 11_000) return null;
  return /index:? '?([\w.]+)/i.exec(errmsg ?? message ?? "")?.[1] ?? "";
}

/**
 * The number of documents that an ordered insert stored before it met a duplicate; null if it is unknown whether
 * a majority has them.
 */
export function storedBefore(error: unknown): number | null {
  if (!(error instanceof mongo.MongoBulkWriteError)) return 0;
  return error.result.getWriteConcernError() ? null : error.insertedCount;
}

/** Longer than the time limits of the driver, which apply first unless it hangs. */
const commandMs = 15_000;

/** Ends the wait for a command after a time limit. */
function limited<Result>(command: () => PromiseLike<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new StoreUnavailableError("the database did not respond in time"));
    const timer = setTimeout(late, commandMs).unref();
    const ended = () => clearTimeout(timer);
    command().then(resolve, reject).then(ended, ended);
  });
}

/**
 * How soon a command must have failed to be repeated. A broken connection fails at once. A database that is
 * away or frozen has already used up the time of the request.
 */
const soonMs = 1_500;

const mayRepeat = (error: unknown, began: number) =>
  isUnavailable(error) && performance.now() - began < soonMs;

/** Runs a command that has the same result when it is repeated, such as a read. */
export async function repeatable<Result>(command: () => PromiseLike<Result>): Promise<Result> {
  const began = performance.now();
  try {
    return await limited(command);
  } catch (error) {
    if (isWriteConflict(error)) await pause(conflictPauseMs);
    else if (!mayRepeat(error, began)) throw error;
    return limited(command);
  }
}

/** The error of a write that may have been made, or may still arrive. */
export function unknownResult(): StoreUnavailableError {
  return new StoreUnavailableError("it is unknown whether the write was made");
}

/** The result of one try to write. */
export type Tried<Result> =
  /** Done; nothing more is written. */
  | { readonly done: Result }
  /** Someone else wrote first. */
  | "lost";

/** Enough for a few dozen processes that write one record at the same time. */
const mostTries = 60;
const conflictPauseMs = 20;

/**
 * Runs tries until one is done. A try reads, decides and writes. If the result of its write is unknown, one
 * more follows with `isRepeated`, which must recognize the write if it was made.
 *
 * @throws StoreUnavailableError if others wrote first too often, or two writes have an unknown result.
 */
export async function untilDone<Result>(
  attempt: (isRepeated: boolean) => Promise<Tried<Result>>,
): Promise<Result> {
  let isRepeated = false;
  for (let tries = 1; tries <= mostTries; tries++) {
    const began = performance.now();
    try {
      const tried = await limited(() => attempt(isRepeated));
      if (tried !== "lost") return tried.done;
    } catch (error) {
      if (!isRepeated && mayRepeat(error, began)) isRepeated = true;
      else if (!isWriteConflict(error)) throw error;
    }
    // Processes that lost together must not meet again and again.
    if (tries > 2) await pause(Math.random() * Math.min(tries * 2, conflictPauseMs));
  }
  throw new StoreUnavailableError("too many writes of one record at the same time");
}

/** How long every operation must have failed before the connection is made again. */
const reconnectAfterMs = 8_000;

/**
 * Runs operations, and throws the port's own error if the database cannot be reached. When operations have
 * failed for a while and none has succeeded, `reconnect` is called.
 */
export function reaching(reconnect: () => void) {
  let failingSince: number | null = null;
  return async <Result>(operation: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await operation();
      failingSince = null;
      return result;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const now = performance.now();
      failingSince ??= now;
      if (now - failingSince > reconnectAfterMs) {
        failingSince = now;
        reconnect();
      }
      if (error instanceof StoreUnavailableError) throw error;
      throw new StoreUnavailableError("the database cannot be reached", { cause: error });
    }
  };
}
