import type { RequestHandler } from "express";
import helmet from "helmet";
import { contextOf } from "../http/context.js";

/** A page loads only its own style, scripts and pictures, and connects only to its own server. */
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
  strictTransportSecurity: { includeSubDomains: false }, // subdomains may belong to other services
});

/** The headers of every response of the dashboard. Only assets, which override this, are cached. */
export function pageHeaders(stopping: AbortSignal): RequestHandler {
  return (req, res, next) => {
    res.setHeader("X-Request-Id", contextOf(res).requestId);
    res.setHeader("Cache-Control", "no-store");
    if (stopping.aborted) res.setHeader("Connection", "close");
    secure(req, res, next);
  };
}
