import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { ok } from "./answers.js";
import type { EndpointDeps } from "./deps.js";
import { callerOf } from "./request-context.js";
import { serviceAnswer } from "./shapes.js";

export function serviceEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.services, {
    list: async ({ res }) => {
      const services = await store.services.list(callerOf(res).business.id);
      return ok(services.filter((service) => service.active).map(serviceAnswer));
    },
  });
}
