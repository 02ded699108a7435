import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "../http/context.js";
import { ok } from "../http/responses.js";
import { ApiError } from "../rules/api-error.js";
import { businessDay } from "../rules/business-day.js";
import { queueResource, queueSummaryResource } from "../rules/resources.js";
import type { EndpointDeps } from "./deps.js";

export function queueEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.queues, {
    list: async ({ res }) => {
      const queues = await store.queues.list(callerOf(res).business.id);
      return ok(queues.map(queueResource));
    },

    get: async ({ params, query, res }) => {
      const { business, now } = callerOf(res);
      const date = query.date ?? businessDay(now, business.timezone);
      const day = await store.queues.day(business.id, params.queueId, date);
      if (!day) throw new ApiError("not_found");
      return ok(queueSummaryResource(day, date));
    },
  });
}
