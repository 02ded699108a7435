import { isObject } from "./check-options.js";

/** The limits of a key for which a test asks none: the most that a key can have, so that no test reaches them by accident. */
export const unlimited = { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000 };

/** A seed, not checked yet, in which every key has limits. */
export function withKeyLimits(seed: unknown): unknown {
  return withEach(seed, "businesses", (business) =>
    withEach(business, "keys", (key) => (isObject(key) ? withDefaults(unlimited, key) : key)),
  );
}

/** Options with defaults for those that are left out, or undefined. */
export function withDefaults(defaults: object, options: object): object {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

function withEach(whole: unknown, field: string, change: (item: unknown) => unknown): unknown {
  const list: unknown = Object(whole)[field];
  return Array.isArray(list) ? { ...Object(whole), [field]: list.map(change) } : whole;
}
