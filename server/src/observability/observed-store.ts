import type { Store } from "../store/store.js";

/** Told that a step of the store begins; called when it is over, with what it failed with, if it did. */
export type StoreObserver = (operation: string) => (failure?: unknown) => void;

/**
 * The same store, each of whose steps is told to an observer under the name it has in the port. What is
 * read piece by piece, a dump for instance, is no step and passes untold.
 */
export function observedStore(store: Store, observe: StoreObserver): Store {
  const steps = new Map<PropertyKey, unknown>();
  return new Proxy(store, {
    get(target, name) {
      const known = steps.get(name);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      const step = observed(name, member.bind(target), observe);
      steps.set(name, step);
      return step;
    },
  });
}

function observed(
  name: string,
  step: (...given: unknown[]) => unknown,
  observe: StoreObserver,
): (...given: unknown[]) => unknown {
  return (...given) => {
    const ended = observe(name);
    const result = step(...given);
    // Both ways are handled here, so this branch can reject nothing; the caller gets the promise itself.
    if (result instanceof Promise) result.then(() => ended(), ended);
    return result;
  };
}
