import { TooManyWait } from "../turns.js";
import { PageRefusal } from "./errors.js";

/** By then those that wait now have had their turn. */
const retryAfterSeconds = 5;

/** What comes of work that waits for its turn. That too many wait already is told as a page. */
export async function unlessBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TooManyWait)) throw error;
    const advice =
      "This server has a great deal to do right now. Go back and try again in a moment.";
    throw new PageRefusal(503, "One moment, please", advice, retryAfterSeconds);
  }
}
