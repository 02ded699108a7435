import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { businessDay } from "../rules/business-day.js";
import { entryAnswer, entryWithPosition } from "../rules/entry-answer.js";
import { type IssueRefusal, tokenRequest } from "../rules/issue.js";
import { storedPhone } from "../rules/phone.js";
import { invalidField, Refusal } from "../rules/refusal.js";
import { createdAnswer, ok, pageAnswer, unknownCursor } from "./answers.js";
import type { EndpointDeps } from "./deps.js";
import { auditRowOf, callerOf, contextOf } from "./request-context.js";

export function entryEndpoints({ store, random, baseUrl }: EndpointDeps) {
  return initServer().router(routes.entries, {
    list: async ({ params, query, res }) => {
      const { business, now } = callerOf(res);
      const date = query.date ?? businessDay(now, business.timezone);
      const part = {
        limit: query.limit,
        after: query.cursor ?? null,
        orEarlier: query.date === undefined,
      };
      const status = query.status ?? null;
      const list = await store.entries.page(business.id, params.queueId, date, status, part);
      if (list === "queue_not_found") throw new Refusal("not_found");
      if (list === "cursor_unknown") throw unknownCursor();
      return pageAnswer(list, entryAnswer);
    },

    create: async ({ params, body, res }) => {
      const { business, now } = callerOf(res);
      const customer = {
        queueId: params.queueId,
        serviceId: body.serviceId ?? null,
        customerName: body.name,
        ...storedPhone(body.phone),
        priority: false,
      };
      const context = contextOf(res);
      const request = tokenRequest(business, customer, { now, random });
      const audit = { row: auditRowOf(res, 201), isStored: false };
      const issued = await store.audited(audit).entries.issue(business.id, {
        ...request,
        keyed: context.keyed,
        location: `${baseUrl()}/v1/entries/${request.id}`,
      });
      context.isAudited = audit.isStored;
      if (issued.outcome !== "issued" && issued.outcome !== "replay") throw refused(issued.outcome);
      return createdAnswer(res, issued.receipt, issued.outcome === "replay");
    },

    get: async ({ params, res }) => {
      const found = await store.entries.get(callerOf(res).business.id, params.entryId);
      if (!found) throw new Refusal("not_found");
      return ok(entryWithPosition(found));
    },

    cancel: async ({ params, res }) => {
      const { business, now } = callerOf(res);
      const audit = { row: auditRowOf(res, 200), isStored: false };
      const { entries } = store.audited(audit);
      const canceled = await entries.move(business.id, params.entryId, "cancel", now);
      contextOf(res).isAudited = audit.isStored;
      if (canceled.outcome === "not_found") throw new Refusal("not_found");
      if (canceled.outcome !== "moved") throw new Refusal("invalid_state");
      return ok(entryAnswer({ entry: canceled.entry, line: null }));
    },
  });
}

function refused(reason: IssueRefusal | "reused"): Refusal {
  switch (reason) {
    case "queue_not_found":
      return new Refusal("not_found");
    case "service_unknown":
      return invalidField("serviceId", "must be an active service of the business");
    case "reused":
      return new Refusal("idempotency_key_reuse");
    case "queue_unavailable":
    case "queue_paused":
    case "plan_limit_reached":
      return new Refusal(reason);
  }
}
