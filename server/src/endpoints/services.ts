import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "./caller.js";
import { type EndpointDeps, ok } from "./deps.js";
import { serviceAnswer } from "./shapes.js";

export function serviceEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.services, {
    list: async ({ res }) => {
      const services = await store.services.list(callerOf(res).business.id);
      return ok(services.filter((service) => service.active).map(serviceAnswer));
    },
  });
}
