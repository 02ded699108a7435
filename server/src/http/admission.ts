import { routes } from "@queue-api/contract";
import type { Request, RequestHandler, Response } from "express";
import { within } from "../lib/within.js";
import type { Store } from "../operations/store.js";
import type { Admission } from "../rules/admission.js";
import { ApiError } from "../rules/api-error.js";
import { readAuthorization } from "../rules/key.js";
import type { WindowReport } from "../rules/window.js";
import { StoreUnavailableError } from "../store/errors.js";
import { auditAtEnd } from "./audit-row.js";
import type { AuditTrail } from "./audit-trail.js";
import { contextOf } from "./context.js";
import { rateLimitHeaders, untouchedWindow } from "./headers.js";
import { timesSent } from "./request-headers.js";

const publicPaths = new Set<string>(Object.values(routes.public).map((route) => route.path));

/**
 * Admits a request: the address must not be barred, the key must be valid, API access switched on, the address
 * on the key's allowlist, and both windows below their limit. This is one atomic operation of the store, decided
 * by `decideAdmission`. Paths that need no key pass.
 */
export function admission(store: Store, audit: AuditTrail): RequestHandler {
  return async (req, res, next) => {
    const read = req.method === "GET" || req.method === "HEAD";
    const needsApiKey = req.path.startsWith("/v1/") || req.path === "/v1";
    if (!needsApiKey || (read && publicPaths.has(req.path))) {
      await reportSignInWindow(store, res);
      next();
      return;
    }

    if (isFromAnotherSite(req)) {
      await reportSignInWindow(store, res);
      const { window } = contextOf(res);
      if (window?.remaining === 0) refuseUnlessAdmitted({ outcome: "barred", window });
      throw new ApiError("unauthorized");
    }

    if (audit.isFull) throw new StoreUnavailableError("the audit log cannot keep up");
    const context = contextOf(res);
    const { address, subject } = context;
    // Two keys count as none: a proxy could choose another one of them.
    const sentTwice = timesSent(req.rawHeaders, "authorization") > 1;
    const admitted = await store.admission.admit({
      address,
      subject,
      credentials: readAuthorization(sentTwice ? undefined : req.headers.authorization),
      write: req.method === "POST",
    });
    reportWindow(res, admitted.window);
    if ("key" in admitted) {
      const { key, business, now, outcome } = admitted;
      context.caller = { key, business, now, isAdmitted: outcome === "admitted" };
      auditAtEnd(res, audit);
    }
    refuseUnlessAdmitted(admitted);
    next();
  };
}

const codes = {
  barred: "too_many_failed_attempts",
  unauthorized: "unauthorized",
  access_disabled: "api_access_disabled",
  ip_not_allowed: "ip_not_allowed",
  rate_limited: "rate_limited",
} as const;

function refuseUnlessAdmitted({ outcome, window }: Pick<Admission, "outcome" | "window">): void {
  if (outcome === "admitted") return;
  const untilReset = { retryAfterSeconds: window.resetSeconds };
  const waits = outcome === "barred" || outcome === "rate_limited";
  throw new ApiError(codes[outcome], waits ? untilReset : {});
}

/**
 * Whether a browser sent a request on behalf of another site: a preflight, or a request that `Sec-Fetch-Site` marks.
 * Any page can make its visitors send these, so they do not count as failed sign-ins. A page cannot add a key to
 * them; a request with a key counts like any other.
 */
function isFromAnotherSite({ method, headers }: Request): boolean {
  if (headers.authorization !== undefined) return false;
  const site = headers["sec-fetch-site"];
  return method === "OPTIONS" || site === "cross-site" || site === "same-site";
}

/** Makes the RateLimit headers report a window. */
export function reportWindow(res: Response, window: WindowReport): void {
  contextOf(res).window = window;
  rateLimitHeaders(res, window);
}

/** How long a response waits for its RateLimit headers. */
const maxWaitMs = 250;

/**
 * Makes the RateLimit headers of a request without a key report the failed sign-ins of its address. Without a
 * database they report an unused window: a path that needs no key does not need the database either.
 */
export async function reportSignInWindow(store: Store, res: Response): Promise<void> {
  const ask = async () => store.admission.signInWindow(contextOf(res).subject);
  const asked = ask().catch((error: unknown) => {
    if (error instanceof TypeError) throw error; // a mistake of the program; `/readyz` reports faults of the database
    return untouchedWindow;
  });
  reportWindow(res, await within(maxWaitMs, asked, untouchedWindow));
}
