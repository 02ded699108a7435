import type { Response } from "express";
import type { Claim } from "../rules/idempotency.js";
import type { ApiKey, AuditRow, Business } from "../rules/records.js";

/** Who asks, once the key is known to be good. */
export interface Caller {
  readonly key: ApiKey;
  readonly business: Business;
  /** Whether the request was let in, and so charged its key's windows. */
  readonly admitted: boolean;
  /** The store's time at admission; the whole request goes by it. */
  readonly now: number;
  /** The audit row of this request, should it be answered with this status. */
  readonly auditRow: (status: number) => AuditRow;
  /** The Idempotency-Key that this request holds; null when it came with none. */
  claim: Claim | null;
  /** Set when the audit row was kept together with the write it tells of. */
  audited: boolean;
}

/** Remembers who asks, for the endpoint that answers. */
export function setCaller(res: Response, caller: Caller): void {
  res.locals.caller = caller;
}

/** Who asks, if that is known yet. */
export function knownCaller(res: Response): Caller | undefined {
  return res.locals.caller as Caller | undefined;
}

/** Who asks. Only for what comes after admission. */
export function callerOf(res: Response): Caller {
  const caller = knownCaller(res);
  if (!caller) throw new Error("an endpoint that needs a key was reached without admission");
  return caller;
}
