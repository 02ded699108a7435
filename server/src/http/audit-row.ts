import type { Response } from "express";
import { maxAuditPathLength } from "../rules/audit.js";
import type { AuditRow } from "../rules/records.js";
import type { AuditTrail } from "./audit-trail.js";
import { callerOf, contextOf } from "./context.js";
import { sentPath } from "./request-observer.js";
import { whenEnded } from "./response-end.js";

/** The audit row of a request with a valid key whose response has this status. */
export function auditRowOf(res: Response, status: number): AuditRow {
  const { requestId, address } = contextOf(res);
  const { key, business, now } = callerOf(res);
  return {
    businessId: business.id,
    keyId: key.id,
    account: null,
    at: now,
    method: res.req.method,
    path: sentPath(res.req).slice(0, maxAuditPathLength),
    status,
    ip: address,
    requestId,
    sum: null,
  };
}

/** Records a request with a valid key when its response ends, unless its write has stored the row. */
export function auditAtEnd(res: Response, audit: AuditTrail): void {
  whenEnded(res, () => {
    if (contextOf(res).isAudited) return;
    const row = auditRowOf(res, res.statusCode);
    const { isAdmitted, key } = callerOf(res);
    if (isAdmitted) audit.record(row);
    else audit.recordRefused(row, key.requestsPerMinute);
  });
}
