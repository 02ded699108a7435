import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "../http/context.js";
import { ok } from "../http/responses.js";
import { meResource } from "../rules/resources.js";

export function meEndpoints() {
  return initServer().router(routes.me, {
    get: async ({ res }) => ok(meResource(callerOf(res))),
  });
}
