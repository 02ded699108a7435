import type { Store } from "@queue-api/server";

/** Some operations of a store, noun by noun. */
export type Operations = {
  readonly [Noun in keyof Store]?: Store[Noun] extends (...given: never) => unknown
    ? Store[Noun]
    : Partial<Store[Noun]>;
};

/** The same store with some of its operations replaced, also those that store an audit row. */
export function interposed(
  store: Store,
  operations: Operations | ((store: Store) => Operations),
): Store {
  const own = typeof operations === "function" ? operations(store) : operations;
  const replaced = Object.entries(own).map(([noun, some]) => [
    noun,
    typeof some === "function" ? some : { ...store[noun as keyof Store], ...some },
  ]);
  const audited: Store["audited"] = (row) => interposed(store.audited(row), operations);
  return { ...store, ...Object.fromEntries(replaced), audited };
}
