import { decideClaim } from "../../rules/idempotency.js";
import type { Clock } from "../../rules/ports.js";
import type { IdempotencyStore } from "../port/idempotency.js";
import { recordKey, type Tables } from "./tables.js";

export function memoryIdempotency(
  { idempotency }: Tables,
  clock: Clock,
  expiry: Clock,
): IdempotencyStore {
  return {
    async claim(businessId, request) {
      const place = recordKey(businessId, request.key);
      const found = idempotency.get(place) ?? null;
      const { outcome, record } = decideClaim(request, found, clock(), expiry());
      if (record) idempotency.set(place, { businessId, ...record });
      return outcome;
    },

    async release(businessId, claim) {
      const place = recordKey(businessId, claim.key);
      const found = idempotency.get(place);
      if (found?.owner === claim.owner && found.receipt === null) idempotency.delete(place);
    },

    async endLease(businessId, claim) {
      const place = recordKey(businessId, claim.key);
      const found = idempotency.get(place);
      if (found?.owner === claim.owner && found.receipt === null) {
        idempotency.set(place, { ...found, leaseUntil: 0 });
      }
    },
  };
}
