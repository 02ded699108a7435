import type { Store } from "./store.js";

/** Any operation of the port. */
export type Operation = (...given: unknown[]) => unknown;

/**
 * Makes a store whose operations are the results of `make`. `all` has a value for each operation of the port, such
 * as the operation of another store. `make` gets the path of the operation, such as `entries.issue` or `now`, and
 * its value.
 */
export function wrapStore<Each extends Operation | string = Operation>(
  all: object,
  make: (name: string, each: Each) => Operation,
): Store {
  const nouns = Object.entries(all as Record<string, Each | Readonly<Record<string, Each>>>);
  const made = nouns.map(([noun, of]) => {
    if (typeof of !== "object") return [noun, make(noun, of)];
    const operations = Object.entries(of);
    return [
      noun,
      Object.fromEntries(operations.map(([name, each]) => [name, make(`${noun}.${name}`, each)])),
    ];
  });
  return Object.fromEntries(made) as Store;
}
