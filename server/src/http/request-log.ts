import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { contextOf } from "./context.js";
import { requestOutcome } from "./request-observer.js";

/**
 * Logs each response at level debug: method, route, status, error code, duration, request id, and the key's id if it is
 * known. The line does not contain the URL, because a client may put anything there.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    res.once("close", () => {
      const { requestId, caller } = contextOf(res);
      const { route, status, errorCode } = requestOutcome(req, res);
      const line = {
        requestId,
        method: req.method,
        route,
        status,
        errorCode,
        keyId: caller?.key.id ?? null,
        ms: Math.round((performance.now() - began) * 10) / 10,
      };
      logger.debug(line, status === null ? "client disconnected" : "responded");
    });
    next();
  };
}
