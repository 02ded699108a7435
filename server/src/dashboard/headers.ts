import type { RequestHandler } from "express";
import helmet from "helmet";
import { contextOf } from "../endpoints/request-context.js";

/** A page loads its own style, scripts and pictures, speaks to its own server, and nothing else. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  referrerPolicy: { policy: "same-origin" },
  xFrameOptions: { action: "deny" },
  strictTransportSecurity: { includeSubDomains: false }, // what else lives below this host is not ours
});

/** The headers of every answer of the dashboard. Nothing is cached but what says otherwise: the assets. */
export function pageHeaders(stopping: AbortSignal): RequestHandler {
  return (req, res, next) => {
    res.setHeader("X-Request-Id", contextOf(res).requestId);
    res.setHeader("Cache-Control", "no-store");
    if (stopping.aborted) res.setHeader("Connection", "close");
    secure(req, res, next);
  };
}
