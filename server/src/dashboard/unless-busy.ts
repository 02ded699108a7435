import { QueueFullError } from "../lib/semaphore.js";
import { PageRefusal } from "./errors.js";

/** Long enough for the waiting tasks to finish. */
const retryAfterSeconds = 5;

/** The result of work that waits for a semaphore. A full waiting list becomes a page with status 503. */
export async function unlessBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    const advice = "The server is busy. Go back and try again in a moment.";
    throw new PageRefusal(503, "One moment, please", advice, retryAfterSeconds);
  }
}
