import type { Logger } from "pino";
import type { Step } from "./steps.js";

const everyMs = 60_000;

/**
 * Warns, once a minute at most, that requests come with `X-Forwarded-For` while `TRUST_PROXY` is not set. A
 * proxy in front of the service then counts as the caller of all of them, and the failed sign-ins of one
 * caller bar everyone behind it.
 */
export function forwardedWarning(
  logger: Pick<Logger, "warn">,
  elapsed: () => number = () => performance.now(),
): Step {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (req) => {
    if (req.headers["x-forwarded-for"] === undefined || elapsed() < quietUntil) return undefined;
    quietUntil = elapsed() + everyMs;
    logger.warn(
      { from: req.socket.remoteAddress },
      "X-Forwarded-For is ignored because TRUST_PROXY is not set: every caller behind a proxy counts as one address; set TRUST_PROXY, or set it to 0 where there is no proxy",
    );
    return undefined;
  };
}
