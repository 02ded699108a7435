import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { businessDay } from "../rules/business-day.js";
import { Refusal } from "../rules/refusal.js";
import { ok, pageAnswer, unknownCursor } from "./answers.js";
import type { EndpointDeps } from "./deps.js";
import { callerOf } from "./request-context.js";
import { appointmentAnswer } from "./shapes.js";

export function appointmentEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.appointments, {
    list: async ({ query, res }) => {
      const { business, now } = callerOf(res);
      const date = query.date ?? businessDay(now, business.timezone);
      const part = {
        limit: query.limit,
        after: query.cursor ?? null,
        orEarlier: query.date === undefined,
      };
      const page = await store.appointments.page(business.id, date, part);
      if (page === "cursor_unknown") throw unknownCursor();
      return pageAnswer(page, ({ appointment }) => appointmentAnswer(appointment));
    },

    get: async ({ params, res }) => {
      const { business } = callerOf(res);
      const found = await store.appointments.get(business.id, params.appointmentId);
      if (!found) throw new Refusal("not_found");
      return ok(appointmentAnswer(found.appointment));
    },
  });
}
