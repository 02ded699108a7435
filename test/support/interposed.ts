import type { Store } from "@queue-api/server";

/** Some operations of a store, noun by noun. */
export type Operations = {
  readonly [Noun in keyof Store]?: Store[Noun] extends (...given: never) => unknown
    ? Store[Noun]
    : Partial<Store[Noun]>;
};

/** The same store with some of its operations replaced. */
export function interposed(store: Store, operations: Operations): Store {
  const replaced = Object.entries(operations).map(([noun, some]) => [
    noun,
    typeof some === "function" ? some : { ...store[noun as keyof Store], ...some },
  ]);
  return { ...store, ...Object.fromEntries(replaced) };
}
