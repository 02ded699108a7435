import type { Response } from "express";

/** Thrown where work ends because nobody waits for its answer any more. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** Aborted, with {@link CallerGone}, when the connection of an answer is gone before the answer. */
export function whenGone(res: Response): AbortSignal {
  const gone = new AbortController();
  const leave = () => gone.abort(new CallerGone());
  if (res.destroyed) leave();
  else res.once("close", () => !res.writableEnded && leave());
  return gone.signal;
}
