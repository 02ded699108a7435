import type { RequestHandler } from "express";
import { sessionChangeLimit as limit } from "../../rules/account-session.js";
import { charged, currentWindow, isBelowLimit, report, type Window } from "../../rules/window.js";
import { PageError } from "../page-error.js";
import { isChange } from "../request.js";
import { signedIn } from "../signed-in.js";
import type { DashboardDeps } from "../visit.js";

/**
 * Limits the changes of each session, so that one session cannot use up the capacity of the process. A refused
 * change is not counted. Each process counts separately.
 */
export function changeLimit({ store }: Pick<DashboardDeps, "store">): RequestHandler {
  /** By session, the earliest window first. */
  const windows = new Map<string, Window>();
  return (req, res, next) => {
    if (!isChange(req)) return next();
    const now = store.now();
    for (const [id, window] of windows) {
      if (currentWindow(window, limit.seconds, now) === window) break;
      windows.delete(id);
    }
    const { sessionId: id } = signedIn(res);
    const window = currentWindow(windows.get(id) ?? null, limit.seconds, now);
    if (isBelowLimit(window, limit)) {
      windows.set(id, charged(window));
      return next();
    }
    const { resetSeconds } = report(window, limit, now);
    const wait = resetSeconds === 1 ? "a second" : `${resetSeconds} seconds`;
    const advice = `There were ${limit.limit} changes from this browser within a minute, so this one was not made. Wait ${wait}, then go back and repeat it.`;
    throw new PageError(429, "One moment, please", advice, resetSeconds);
  };
}
