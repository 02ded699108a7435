import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "../http/context.js";
import { listed, ok } from "../http/responses.js";
import { listRequest, unknownCursor } from "../rules/list-day.js";
import { Refusal } from "../rules/refusal.js";
import { appointmentAnswer } from "../rules/resources.js";
import { withEntries } from "../store/appointment-entries.js";
import type { EndpointDeps } from "./deps.js";

export function appointmentEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.appointments, {
    list: async ({ query, res }) => {
      const { business, now } = callerOf(res);
      const { date, part } = listRequest(query, business, now);
      const page = await store.appointments.page(business.id, date, part);
      if (page === "cursor_unknown") throw unknownCursor();
      const items = await withEntries(store, business.id, page.items);
      return listed({ ...page, items }, ({ appointment }) => appointmentAnswer(appointment));
    },

    get: async ({ params, res }) => {
      const { business } = callerOf(res);
      const found = await store.appointments.get(business.id, params.appointmentId);
      if (!found) throw new Refusal("not_found");
      const [current] = await withEntries(store, business.id, [found]);
      return ok(appointmentAnswer(current?.appointment ?? found));
    },
  });
}
