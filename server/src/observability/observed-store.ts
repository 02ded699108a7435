import { wrapStore } from "../store/operations.js";
import type { Store } from "../store/store.js";

/** Called when an operation of the store begins; what it returns is called when it ends, with its failure, if any. */
export type StoreObserver = (operation: string) => (failure?: unknown) => void;

/** The same store, each of whose operations is reported to an observer under its name in the port. */
export function observedStore(store: Store, observe: StoreObserver): Store {
  return wrapStore(store, (name, operation) => (...given) => {
    const ended = observe(name);
    const result = operation(...given);
    // Both ways are handled here, so this branch can reject nothing; the caller gets the promise itself.
    if (result instanceof Promise) result.then(() => ended(), ended);
    return result;
  });
}
