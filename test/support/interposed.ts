import type { Store } from "@queue-api/server";

/** The same store with some of its steps replaced. */
export function interposed(store: Store, steps: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const step = Reflect.get(steps, name) ?? Reflect.get(target, name);
      return typeof step === "function" ? step.bind(target) : step;
    },
  });
}
