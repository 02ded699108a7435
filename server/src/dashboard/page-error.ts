import type { Response } from "express";
import { QueueFullError } from "../lib/semaphore.js";

/** Thrown to refuse a request for a reason that the user should read. */
export class PageError extends Error {
  override readonly name: string = "PageError";

  /** `advice`: what happened and what to do, in whole sentences. */
  constructor(
    readonly status: number,
    readonly title: string,
    readonly advice: string,
    /** When a retry may succeed. Default null: a retry would be refused again. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(title);
  }
}

/** Thrown by a page for a resource that does not exist or belongs to another business. */
export class PageNotFound extends PageError {
  override readonly name = "PageNotFound";

  constructor() {
    const advice =
      "This page does not exist. It may have been removed, or the address is incomplete.";
    super(404, "Page not found", advice);
  }
}

/** Returns the value. @throws PageNotFound if it is null or undefined. */
export function orNotFound<Found>(found: Found | null | undefined): Found {
  if (found === null || found === undefined) throw new PageNotFound();
  return found;
}

/** Thrown when work ends early because its client closed the connection. */
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}

/** A signal that aborts with {@link RequestAborted} if the connection closes before the response is sent. */
export function abortSignalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new RequestAborted());
  if (res.destroyed) abort();
  else res.once("close", () => !res.writableEnded && abort());
  return controller.signal;
}

/** Long enough for the waiting tasks to finish. */
const busyRetrySeconds = 5;

/** The result of work that waits for a semaphore. A full waiting list becomes a page with status 503. */
export async function unlessBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    const advice = "The server is busy. Go back and try again in a moment.";
    throw new PageError(503, "One moment, please", advice, busyRetrySeconds);
  }
}
