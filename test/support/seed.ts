import type { Scope } from "@queue-api/contract";
import type { SeedInput } from "@queue-api/server";

export type { SeededBusiness } from "@queue-api/server";

type ReadonlyData<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyData<Item>[]
  : { readonly [Name in keyof T]: ReadonlyData<T[Name]> };

/** A business in a seed file. Omitted fields have their defaults. */
export type BusinessSeed = ReadonlyData<Partial<SeedInput["businesses"][number]>>;
type QueueSeed = NonNullable<BusinessSeed["queues"]>[number];
export type EntrySeed = NonNullable<QueueSeed["entries"]>[number];
export type KeySeed = NonNullable<BusinessSeed["keys"]>[number];

export const everyScope: readonly Scope[] = ["queue:read", "queue:write", "appointments:read"];

/** The key `main` of a business: every scope, the default limits. */
export const mainKey: KeySeed = { ref: "main", name: "Main", scopes: everyScope };

/** A key for a test that sends more than the default limits allow. */
export const wideKey: KeySeed = {
  ...mainKey,
  requestsPerMinute: 1_000_000,
  writesPerMinute: 1_000_000,
};

/** A small clinic: one service of 15 minutes, one queue, one key. A test names only the changes. */
export function clinicSeed(
  changes: BusinessSeed,
): BusinessSeed & Required<Pick<BusinessSeed, "slug">> {
  return {
    slug: `clinic-${crypto.randomUUID()}`,
    name: "Sunrise Clinic",
    category: "clinic",
    timezone: "Asia/Kolkata",
    services: [{ ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 }],
    queues: [{ ref: "front", name: "Front desk" }],
    keys: [mainKey],
    ...changes,
  };
}
