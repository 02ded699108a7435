import type { Logger } from "pino";
import { beginContext, contextOf } from "../endpoints/request-context.js";
import { normalAddress, signInSubject } from "../rules/address.js";
import { newUuid } from "../rules/ids.js";
import type { Random } from "../rules/ports.js";
import type { Step } from "./steps.js";

/** Starts the context of a request with its id and its address. */
export function requestId(random: Random): Step {
  return (req, res) => {
    const address = normalAddress(req.ip ?? "");
    beginContext(res, { requestId: newUuid(random), address, subject: signInSubject(address) });
  };
}

/**
 * Logs each response at level debug: method, route, status, duration, request id, and the key's id if it is
 * known. The line does not contain the URL, because a client may put anything there.
 */
export function requestLog(logger: Logger): Step {
  if (!logger.isLevelEnabled("debug")) return () => undefined;
  return (req, res) => {
    const began = performance.now();
    res.on("close", () => {
      const { requestId, route, caller } = contextOf(res);
      const line = {
        requestId,
        method: req.method,
        route: route?.path ?? null,
        status: res.writableFinished ? res.statusCode : null,
        keyId: caller?.key.id ?? null,
        ms: Math.round((performance.now() - began) * 10) / 10,
      };
      logger.debug(line, res.writableFinished ? "answered" : "client disconnected");
    });
  };
}
