import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "../http/context.js";
import { listed, ok } from "../http/responses.js";
import { ApiError } from "../rules/api-error.js";
import { listRequest, unknownCursor } from "../rules/list-query.js";
import { appointmentResource } from "../rules/resources.js";
import type { EndpointDeps } from "./deps.js";

export function appointmentEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.appointments, {
    list: async ({ query, res }) => {
      const { business, now } = callerOf(res);
      const { date, part } = listRequest(query, business, now);
      const page = await store.appointments.page(business.id, date, part);
      if (page === "cursor_unknown") throw unknownCursor();
      return listed(page, ({ appointment }) => appointmentResource(appointment));
    },

    get: async ({ params, res }) => {
      const { business } = callerOf(res);
      const found = await store.appointments.get(business.id, params.appointmentId);
      if (!found) throw new ApiError("not_found");
      return ok(appointmentResource(found.appointment));
    },
  });
}
