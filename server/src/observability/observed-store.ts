import type { Store } from "../operations/store.js";
import { wrapStore } from "../operations/wrap-store.js";

/** Called when an operation of the store begins. The returned function is called when it ends, with its error if it failed. */
export type StoreObserver = (operation: string) => (error?: unknown) => void;

/** The same store with an observer, which is called with the name of each operation. */
export function observedStore(store: Store, observe: StoreObserver): Store {
  return wrapStore(store, (name, operation) => (...given) => {
    const ended = observe(name);
    const result = operation(...given);
    // Both outcomes are handled here, so this chain never rejects. The caller receives the original promise.
    if (result instanceof Promise) result.then(() => ended(), ended);
    return result;
  });
}
