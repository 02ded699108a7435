import mongoose, { mongo } from "mongoose";
import { StoreUnavailableError } from "../store-unavailable-error.js";

/** Codes of a server that is there but cannot serve now: not the primary, shutting down, out of time. */
const passing = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

/** What the system says of a connection that broke. The driver hands some of it on as it is. */
const broken = new Set(["EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT"]);

/** Whether an error says that the database cannot be reached, or not in time. */
export function isUnavailable(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  if (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongoose.Error.MongooseServerSelectionError ||
    error instanceof mongo.MongoOperationTimeoutError ||
    error instanceof mongo.MongoNotConnectedError ||
    error instanceof mongo.MongoTopologyClosedError
  ) {
    return true;
  }
  const { name = "", code } = error as { name?: string; code?: unknown };
  // The errors of the connection pool are not exported: cleared, closed, waited in vain.
  if (/^Mongo(Pool|WaitQueue)|^PoolCleared/.test(name)) return true;
  if (typeof code === "string") return broken.has(code);
  return error instanceof mongo.MongoServerError && passing.has(Number(code));
}

/** The error itself: the driver wraps what befalls a bulk write, a broken connection too. */
function unwrapped(error: unknown): unknown {
  const { errorResponse } = error as { errorResponse?: unknown };
  return error instanceof mongo.MongoBulkWriteError && errorResponse instanceof Error
    ? errorResponse
    : error;
}

/** Runs a step; when the database cannot be reached, throws the port's own error. */
export async function reaching<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new StoreUnavailableError("the database cannot be reached", { cause: error });
  }
}

/** The name of the unique index that a document met, or null for any other error. */
export function duplicateOf(error: unknown): string | null {
  const { code, errmsg, message } = error as { code?: unknown; errmsg?: string; message?: string };
  if (code !== 11_000) return null;
  return /index:? '?([\w.]+)/i.exec(errmsg ?? message ?? "")?.[1] ?? "";
}

/**
 * Which documents of an unordered insert met which unique index; all the others are kept. Null when it
 * failed in any other way, and which of them are kept is unknown.
 */
export function duplicatesOf(error: unknown): Map<number, string> | null {
  const met = new Map<number, string>();
  for (const [at, fault] of faultsOf(error) ?? []) {
    const index = duplicateOf(fault);
    if (index === null) return null;
    met.set(at, index);
  }
  return met.size > 0 ? met : null;
}

/** Which documents of an unordered insert failed; null when it is not known of which ones that holds. */
function faultsOf(error: unknown): Map<number, mongo.WriteError> | null {
  if (!(error instanceof mongo.MongoBulkWriteError)) return null;
  const faults = [error.writeErrors].flat();
  if (faults.length === 0 || error.result.getWriteConcernError()) return null;
  return new Map(faults.map((fault) => [fault.index, fault]));
}

/**
 * Inserts documents that belong to different requests, in one command. Returns for each: null when it is kept,
 * the name of the unique index that it met, or the error that it alone failed with.
 *
 * @throws what the whole command failed with; which documents are kept is then unknown.
 */
export async function insertEach<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  docs: readonly mongo.OptionalUnlessRequiredId<Doc>[],
): Promise<(string | null | Error)[]> {
  try {
    await collection.insertMany([...docs], { ordered: false });
    return docs.map(() => null);
  } catch (error) {
    const faults = faultsOf(error);
    if (!faults) throw error;
    return docs.map((_, at) => {
      const fault = faults.get(at);
      if (!fault) return null;
      const { code, errmsg = "" } = fault;
      return duplicateOf(fault) ?? new mongo.MongoServerError({ code, message: errmsg });
    });
  }
}
