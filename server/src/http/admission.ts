import { routes } from "@queue-api/contract";
import { setCaller } from "../endpoints/caller.js";
import type { Admission } from "../rules/admission.js";
import { readAuthorization } from "../rules/key.js";
import { Refusal } from "../rules/refusal.js";
import type { Store } from "../store/store.js";
import type { AuditTrail } from "./audit.js";
import { exchangeOf } from "./exchange.js";
import { isFromAnotherSite } from "./from-another-site.js";
import { reportSignInWindow } from "./keyless-window.js";
import type { Step } from "./steps.js";
import { timesSent } from "./well-formed.js";

const publicPaths = new Set<string>(Object.values(routes.public).map((route) => route.path));
const longestAuditedPath = 200; // the longest path of the document has 56

/**
 * Is this address barred, is the key good, is access switched on, may the key be used from this
 * address, is there room in its windows: one step of the store, decided by `decideAdmission`. Paths
 * that need no key pass.
 */
export function admission(store: Store, audit: AuditTrail): Step {
  return async (req, res) => {
    const read = req.method === "GET" || req.method === "HEAD";
    const needsApiKey = req.path.startsWith("/v1/") || req.path === "/v1";
    if (!needsApiKey || (read && publicPaths.has(req.path))) {
      return reportSignInWindow(store, res);
    }

    if (isFromAnotherSite(req)) {
      await reportSignInWindow(store, res);
      const { window } = exchangeOf(res);
      if (window?.remaining === 0) refuseUnlessAdmitted({ outcome: "barred", window });
      throw new Refusal("unauthorized");
    }

    if (audit.isFull) throw new Error("the audit log cannot keep up");
    const { address, subject, requestId } = exchangeOf(res);
    // Whoever sends two keys has none: nobody else on the way need agree which of them counts.
    const sentTwice = timesSent(req.rawHeaders, "authorization") > 1;
    const admitted = await store.admission.admit({
      address,
      subject,
      credentials: readAuthorization(sentTwice ? undefined : req.headers.authorization),
      write: req.method === "POST",
    });
    exchangeOf(res).window = admitted.window;
    if ("key" in admitted) {
      const { key, business, now } = admitted;
      const { method } = req;
      const path = req.path.slice(0, longestAuditedPath);
      setCaller(res, {
        key,
        business,
        now,
        admitted: admitted.outcome === "admitted",
        claim: null,
        audited: false,
        auditRow: (status) => ({
          businessId: business.id,
          keyId: key.id,
          at: now,
          method,
          path,
          status,
          ip: address,
          requestId,
          sum: null,
        }),
      });
    }
    refuseUnlessAdmitted(admitted);
  };
}

function refuseUnlessAdmitted({ outcome, window }: Admission): void {
  switch (outcome) {
    case "admitted":
      return;
    case "barred":
      throw new Refusal("too_many_failed_attempts", { retryAfterSeconds: window.resetSeconds });
    case "unauthorized":
      throw new Refusal("unauthorized");
    case "access_disabled":
      throw new Refusal("api_access_disabled");
    case "ip_not_allowed":
      throw new Refusal("ip_not_allowed");
    case "rate_limited":
      throw new Refusal("rate_limited", { retryAfterSeconds: window.resetSeconds });
  }
}
