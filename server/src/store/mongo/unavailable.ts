import { mongo } from "mongoose";
import { StoreUnavailableError } from "../store-unavailable-error.js";

/** Codes of a server that is there but cannot serve now: not the primary, shutting down, out of time. */
const passing = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

/** Whether an error says that the database cannot be reached, or not in time. */
export function isUnavailable(error: unknown): boolean {
  if (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoServerSelectionError ||
    error instanceof mongo.MongoOperationTimeoutError ||
    error instanceof mongo.MongoNotConnectedError ||
    error instanceof mongo.MongoTopologyClosedError
  ) {
    return true;
  }
  const { name = "", code } = error as { name?: string; code?: unknown };
  // The errors of the connection pool are not exported: cleared, closed, waited in vain.
  if (/^Mongo(Pool|WaitQueue)|^PoolCleared/.test(name)) return true;
  return error instanceof mongo.MongoServerError && passing.has(Number(code));
}

/** Runs a step; when the database is away, says so in the port's own words. */
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
