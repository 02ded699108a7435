import type { Response } from "express";

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
