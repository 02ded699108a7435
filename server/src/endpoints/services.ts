import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "../http/context.js";
import { ok } from "../http/responses.js";
import { serviceResource } from "../rules/resources.js";
import type { EndpointDeps } from "./deps.js";

export function serviceEndpoints({ store }: EndpointDeps) {
  return initServer().router(routes.services, {
    list: async ({ res }) => {
      const services = await store.services.list(callerOf(res).business.id);
      return ok(services.filter((service) => service.active).map(serviceResource));
    },
  });
}
