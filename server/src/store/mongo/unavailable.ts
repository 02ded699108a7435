import mongoose, { mongo } from "mongoose";
import { StoreUnavailableError } from "../store-unavailable-error.js";
import { isWriteConflict } from "./write-conflict.js";

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

/** Runs a step. If the database cannot be reached, throws the port's own error. */
export async function reaching<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new StoreUnavailableError("the database cannot be reached", { cause: error });
  }
}

/** The name of the unique index that a document conflicts with, or null for any other error. */
export function duplicateOf(error: unknown): string | null {
  const { code, errmsg, message } = error as { code?: unknown; errmsg?: string; message?: string };
  if (code !== 11_000) return null;
  return /index:? '?([\w.]+)/i.exec(errmsg ?? message ?? "")?.[1] ?? "";
}

/**
 * The documents of an unordered insert that conflict with a unique index, by number, with the index. All
 * others are stored. Null if the insert failed in another way, so that it is unknown which are stored.
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

/** The writes of an unordered command that failed; null if these are unknown. */
function faultsOf(error: unknown): Map<number, mongo.WriteError> | null {
  if (!(error instanceof mongo.MongoBulkWriteError)) return null;
  const faults = [error.writeErrors].flat();
  if (faults.length === 0 || error.result.getWriteConcernError()) return null;
  return new Map(faults.map((fault) => [fault.index, fault]));
}

/** Whether only some writes of an unordered command failed, and the others were made. */
export function isPartlyDone(error: unknown): boolean {
  return faultsOf(error) !== null;
}

/**
 * Inserts documents of different requests in one command. Returns for each document: null if it is stored,
 * the name of the unique index that it conflicts with, or the error of this document; a promise of that for a
 * document that is sent again, because the others do not wait for it.
 *
 * @throws the error of the whole command; it is then unknown which documents are stored.
 */
export async function insertEach<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  docs: readonly mongo.OptionalUnlessRequiredId<Doc>[],
): Promise<(string | null | Error | Promise<string | null>)[]> {
  try {
    await collection.insertMany([...docs], { ordered: false });
    return docs.map(() => null);
  } catch (error) {
    const faults = faultsOf(error);
    if (!faults) throw error;
    return docs.map((doc, at) => {
      const fault = faults.get(at);
      if (!fault) return null;
      if (isWriteConflict(fault) && docs.length > 1) return insertAlone(collection, doc);
      const { code, errmsg = "" } = fault;
      return duplicateOf(fault) ?? new mongo.MongoServerError({ code, message: errmsg });
    });
  }
}

async function insertAlone<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  doc: mongo.OptionalUnlessRequiredId<Doc>,
): Promise<string | null> {
  const [result = null] = await insertEach(collection, [doc]);
  if (result instanceof Error) throw result;
  return result;
}
