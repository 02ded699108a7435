import type { Response } from "express";
import { contextOf } from "../../http/context.js";
import { maxAuditPathLength } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { PendingAudit } from "../../store/port.js";
import { signedIn } from "../signed-in.js";

/**
 * The audit row of a change in the dashboard. It is stored with the record that changes, or else after the change. Its
 * status is 200: the change was made.
 */
export class ChangeAudit implements PendingAudit {
  row: AuditRow;
  isStored = false;
  /** Whether nothing is recorded unless a record changes. */
  #needsChange = false;

  /** `path`: the path of the form, relative to the dashboard. */
  constructor(res: Response, path: string, at: number) {
    const { requestId, address } = contextOf(res);
    const { account, business } = signedIn(res);
    this.row = {
      businessId: business.id,
      keyId: account.id,
      account: account.email,
      at,
      method: "POST",
      path: pathInLog(path),
      status: 200,
      ip: address,
      requestId,
      sum: null,
    };
  }

  /** Names what is changed: its page and the change. Nothing is recorded if no record changes. */
  setPath(path: string): void {
    this.row = { ...this.row, path: pathInLog(path) };
    this.#needsChange = true;
  }

  /** Whether the row of a successful change must still be stored. */
  get isDue(): boolean {
    return !this.isStored && !this.#needsChange;
  }
}

function pathInLog(path: string): string {
  return `/dashboard${path}`.slice(0, maxAuditPathLength);
}
