import type { Logger } from "pino";
import { knownCaller } from "../endpoints/caller.js";
import { exchangeOf } from "./exchange.js";
import type { Step } from "./steps.js";

/**
 * One line for each answer, at level debug: method, route, status, duration, request id, and the key's
 * id once it is known. The URL itself is left out, since a caller may put anything there.
 */
export function requestLog(logger: Logger): Step {
  if (!logger.isLevelEnabled("debug")) return () => undefined;
  return (req, res) => {
    const began = performance.now();
    res.on("close", () => {
      const line = {
        requestId: exchangeOf(res).requestId,
        method: req.method,
        route: exchangeOf(res).route?.path ?? null,
        status: res.writableFinished ? res.statusCode : null,
        keyId: knownCaller(res)?.key.id ?? null,
        ms: Math.round((performance.now() - began) * 10) / 10,
      };
      logger.debug(line, res.writableFinished ? "answered" : "the caller went away");
    });
    return undefined;
  };
}
