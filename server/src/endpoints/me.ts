import { limits, routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { timestampOrNull } from "../rules/timestamp.js";
import { ok } from "./answers.js";
import { callerOf } from "./request-context.js";

export function meEndpoints() {
  return initServer().router(routes.me, {
    get: async ({ res }) => {
      const { business, key } = callerOf(res);
      return ok({
        business: {
          name: business.name,
          slug: business.slug,
          category: business.category,
          timezone: business.timezone,
        },
        key: {
          id: key.id,
          name: key.name,
          scopes: [...key.scopes],
          expiresAt: timestampOrNull(key.expiresAt),
        },
        limits: {
          requestsPerMinute: key.requestsPerMinute,
          writesPerMinute: key.writesPerMinute,
          maxBodyBytes: limits.maxBodyBytes,
        },
      });
    },
  });
}
