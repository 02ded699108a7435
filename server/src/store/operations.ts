import type { Store } from "./store.js";

/** Any operation of the port. */
export type Operation = (...given: unknown[]) => unknown;

/**
 * The same store with each operation replaced by the result of `wrap`. The name is the path of the operation
 * in the port, such as `entries.issue` or `now`.
 */
export function wrapStore(
  store: Store,
  wrap: (name: string, operation: Operation) => Operation,
): Store {
  const wrapped = Object.entries(store).map(([noun, operations]) => [
    noun,
    typeof operations === "function" ? wrap(noun, operations) : wrapNoun(noun, operations, wrap),
  ]);
  return Object.fromEntries(wrapped) as Store;
}

function wrapNoun(
  noun: string,
  operations: Readonly<Record<string, Operation>>,
  wrap: (name: string, operation: Operation) => Operation,
): Readonly<Record<string, Operation>> {
  const wrapped = Object.entries(operations).map(([name, operation]) => [
    name,
    wrap(`${noun}.${name}`, operation),
  ]);
  return Object.fromEntries(wrapped);
}
