import { TooManyPasswords } from "../../owner/password.js";
import { PageRefusal } from "../errors.js";

/** By then those that wait now have had their turn. */
const retryAfterSeconds = 5;

/** What comes of work on a password. That too many wait already is told as a page. */
export async function unlessBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TooManyPasswords)) throw error;
    const advice = "Very many people are signing in right now. Go back and try again in a moment.";
    throw new PageRefusal(503, "One moment, please", advice, retryAfterSeconds);
  }
}
