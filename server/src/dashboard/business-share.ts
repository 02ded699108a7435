import type { RequestHandler } from "express";
import { Semaphore } from "../lib/semaphore.js";
import { RequestAborted, unlessBusy } from "./page-error.js";
import { signedIn } from "./signed-in.js";

/** Far more than the browsers of one business send at once. */
const bounds = { concurrency: 8, maxWaiting: 100 } as const;

/**
 * Handles a few requests of a business at a time, so that a business that asks for many pages at once waits for
 * itself, and others do not. Refuses more than can wait with 503.
 */
export function businessShare(): RequestHandler {
  const shares = new Map<string, Semaphore>();
  return async (_req, res, next) => {
    if (res.destroyed) throw new RequestAborted(); // its `close` event has passed, so its place would never be free
    const { id } = signedIn(res).business;
    const share = shares.get(id) ?? new Semaphore(bounds);
    shares.set(id, share);
    const gone = new AbortController();
    // One listener for both uses: Node.js warns of a leak beyond ten, and a download needs most of them.
    const closed = new Promise<void>((resolve) => {
      res.once("close", () => {
        gone.abort(new RequestAborted());
        resolve();
      });
    });
    const handled = () => {
      next();
      return closed;
    };
    try {
      await unlessBusy(share.run(handled, gone.signal));
    } finally {
      if (share.isIdle) shares.delete(id);
    }
  };
}
