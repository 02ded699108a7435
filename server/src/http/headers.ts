import type { IncomingMessage, ServerResponse } from "node:http";
import { apiVersion } from "@queue-api/contract";
import helmet from "helmet";
import { signInReport } from "../rules/admission.js";
import type { WindowLimit, WindowReport } from "../rules/window.js";

/** helmet's headers for a service that sends JSON and is never shown in a browser. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: "deny" },
  strictTransportSecurity: { includeSubDomains: false }, // other services may run below this host
  // These concern pages and downloads in a browser; a JSON API has neither.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xPermittedCrossDomainPolicies: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xXssProtection: false,
});

/** Middleware that sets the headers that are the same on every response. */
export function constantHeaders(
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
): void {
  res.setHeader("API-Version", apiVersion.major);
  res.setHeader("Cache-Control", "no-store");
  secure(req, res, next);
}

/** The window that is reported before the address is known, or without a database. */
export const untouchedWindow = signInReport(null, 0);

/** Sets the RateLimit headers. */
export function rateLimitHeaders(res: ServerResponse, window: WindowReport): void {
  res.setHeader("RateLimit-Limit", window.limit);
  res.setHeader("RateLimit-Remaining", window.remaining);
  res.setHeader("RateLimit-Reset", window.resetSeconds);
  res.setHeader("RateLimit-Policy", window.policy.map(policyItem).join(", "));
}

/** A window's limit as an item of RateLimit-Policy: its quota and its length in seconds. */
function policyItem({ name, limit, seconds }: WindowLimit): string {
  return `"${name}";q=${limit};w=${seconds}`;
}
