import { limits, routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { callerOf } from "../http/context.js";
import { ok } from "../http/responses.js";
import { timestampOrNull } from "../rules/timestamp.js";

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
