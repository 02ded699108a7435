import type { Store } from "../store/store.js";

/** Told that a step of the store begins; called when it is over, with what it failed with, if it did. */
export type StoreObserver = (operation: string) => (failure?: unknown) => void;

/** What is read piece by piece: there each piece is a step. */
const streams: ReadonlySet<string> = new Set(["dump", "entryTimes"] satisfies (keyof Store)[]);

/** The same store, each of whose steps is told to an observer under the name it has in the port. */
export function observedStore(store: Store, observe: StoreObserver): Store {
  const steps = new Map<PropertyKey, unknown>();
  return new Proxy(store, {
    get(target, name) {
      const known = steps.get(name);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      const watched = streams.has(name) ? observedStream : observed;
      const step = watched(name, member.bind(target), observe);
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

function observedStream(
  name: string,
  open: (...given: unknown[]) => AsyncIterable<unknown>,
  observe: StoreObserver,
): (...given: unknown[]) => AsyncIterable<unknown> {
  return async function* pieces(...given) {
    const stream = open(...given)[Symbol.asyncIterator]();
    const next = observed(name, () => stream.next(), observe) as () => ReturnType<
      typeof stream.next
    >;
    try {
      for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
    } finally {
      await stream.return?.();
    }
  };
}
