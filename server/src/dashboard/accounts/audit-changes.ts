import type { RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { contextOf } from "../../endpoints/request-context.js";
import type { AuditRow } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { signedIn } from "../signed-in.js";
import { isChange } from "./same-origin.js";

const longestPath = 200;

/** The audit row of a change in the dashboard. `path`: what was changed, below the dashboard. */
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

/** Says that the row of a change is kept already, in the step that made the change, or that nothing was changed. */
export function noteAudited(res: Response): void {
  res.locals.isAudited = true;
}

/** Keeps a row of each change that succeeded, unless its page keeps one with the change itself. */
export function auditChanges({
  store,
  logger,
}: {
  readonly store: Store;
  readonly logger: Logger;
}): RequestHandler {
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
