import type { Store } from "./store.js";

/** Any operation of a store. */
export type AnyOperation = (...given: unknown[]) => unknown;

/** A store that replaces each operation by `make(name, operation)`. A name is `entries.create` or `ping`. */
export function wrapStore(
  store: Store,
  make: (name: string, operation: AnyOperation) => AnyOperation,
): Store {
  const { audited, now, ...rest } = store;
  const all = rest as unknown as Record<string, AnyOperation | Record<string, AnyOperation>>;
  const made = Object.entries(all).map(([noun, of]) => {
    if (typeof of === "function") return [noun, make(noun, of)];
    const verbs = Object.entries(of);
    return [
      noun,
      Object.fromEntries(verbs.map(([verb, run]) => [verb, make(`${noun}.${verb}`, run)])),
    ];
  });
  const wrapped = Object.fromEntries(made) as Omit<Store, "audited" | "now">;
  return { ...wrapped, now, audited: (pending) => wrapStore(audited(pending), make) };
}
