import type { RequestHandler, Response } from "express";
import { contextOf } from "../../http/context.js";
import type { AuditRow } from "../../rules/records.js";
import type { DashboardDeps } from "../page.js";
import { signedIn } from "../signed-in.js";
import { isChange } from "./same-origin.js";

const longestPath = 200;

/** The audit row of a change in the dashboard. `path`: the changed path, relative to the dashboard. */
export function accountRow(res: Response, path: string, at: number, status = 200): AuditRow {
  const { requestId, address } = contextOf(res);
  const { owner, business } = signedIn(res);
  return {
    businessId: business.id,
    keyId: owner.id,
    account: owner.email,
    at,
    method: "POST",
    path: `/dashboard${path}`.slice(0, longestPath),
    status,
    ip: address,
    requestId,
    sum: null,
  };
}

/** Marks a request as audited: the step that made the change stored its row, or nothing changed. */
export function noteAudited(res: Response): void {
  res.locals.isAudited = true;
}

/** Stores an audit row for each successful change, unless the page stores one together with the change. */
export function auditChanges({
  store,
  logger,
}: Pick<DashboardDeps, "store" | "logger">): RequestHandler {
  return (req, res, next) => {
    if (isChange(req)) {
      const { path } = req;
      res.once("finish", () => {
        if (res.locals.isAudited === true || res.statusCode >= 400) return;
        keep(path, res.statusCode).catch((error: unknown) => {
          logger.error({ err: error }, "a change in the dashboard is missing in the audit log");
        });
      });
      const keep = async (path: string, status: number) =>
        store.audit.append([accountRow(res, path, await store.now(), status)]);
    }
    next();
  };
}
