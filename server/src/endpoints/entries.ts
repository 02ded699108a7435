import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { auditRowOf } from "../http/audit-row.js";
import { callerOf, contextOf } from "../http/context.js";
import { keyedRequest, oneForEachKey } from "../http/idempotency.js";
import { created, listed, ok } from "../http/responses.js";
import { ApiError, invalidField } from "../rules/api-error.js";
import { listRequest, unknownCursor } from "../rules/list-query.js";
import { storedPhone } from "../rules/phone.js";
import { entryResource, entryWithPosition } from "../rules/resources.js";
import { type CreationRefusal, tokenRequest } from "../rules/token-creation.js";
import type { EndpointDeps } from "./deps.js";

export function entryEndpoints({ store, random, baseUrl }: EndpointDeps) {
  const oncePerKey = oneForEachKey(store.entries.replayOf);

  return initServer().router(routes.entries, {
    list: async ({ params, query, res }) => {
      const { business, now } = callerOf(res);
      const { date, part } = listRequest(query, business, now);
      const asked = { ...part, status: query.status };
      const page = await store.entries.page(business.id, params.queueId, date, asked);
      if (page === "queue_not_found") throw new ApiError("not_found");
      if (page === "cursor_unknown") throw unknownCursor();
      return listed(page, entryResource);
    },

    create: async ({ params, headers, body, res }) => {
      const { business } = callerOf(res);
      const customer = {
        queueId: params.queueId,
        serviceId: body.serviceId ?? null,
        customerName: body.name,
        ...storedPhone(body.phone),
        priority: false,
      };
      const keyed = keyedRequest(routes.entries.create, { params, headers, body });
      // not the time of the admission: the body can arrive much later
      const request = tokenRequest(business, customer, { now: store.now(), random });
      const audit = { row: auditRowOf(res, 201), isStored: false };
      const location = `${baseUrl()}/v1/entries/${request.id}`;
      const result = await oncePerKey(business.id, keyed, () =>
        store.audited(audit).entries.create(business.id, { ...request, keyed, location }),
      );
      contextOf(res).isAudited = audit.isStored;
      if (result.outcome !== "created" && result.outcome !== "replay")
        throw refused(result.outcome);
      return created(res, result.receipt, result.outcome === "replay");
    },

    get: async ({ params, res }) => {
      const found = await store.entries.get(callerOf(res).business.id, params.entryId);
      if (!found) throw new ApiError("not_found");
      return ok(entryWithPosition(found));
    },

    cancel: async ({ params, res }) => {
      const { business } = callerOf(res);
      const audit = { row: auditRowOf(res, 200), isStored: false };
      const { entries } = store.audited(audit);
      // Like a creation, it uses the time after the body has arrived, not that of the admission.
      const canceled = await entries.transition(business.id, params.entryId, "cancel", store.now());
      contextOf(res).isAudited = audit.isStored;
      if (canceled.outcome === "not_found") throw new ApiError("not_found");
      if (canceled.outcome !== "changed") throw new ApiError("invalid_state");
      return ok(entryResource({ entry: canceled.entry, line: null }));
    },
  });
}

function refused(reason: CreationRefusal | "reused"): ApiError {
  switch (reason) {
    case "queue_not_found":
      return new ApiError("not_found");
    case "service_unknown":
      return invalidField("serviceId", "must be an active service of the business");
    case "reused":
      return new ApiError("idempotency_key_reuse");
    case "queue_unavailable":
    case "queue_paused":
    case "plan_limit_reached":
      return new ApiError(reason);
  }
}
