import { type Operation, wrapStore } from "../store/operations.js";
import type { Store } from "../store/store.js";

/** Called when an operation of the store begins; what it returns is called when it ends, with its failure, if any. */
export type StoreObserver = (operation: string) => (failure?: unknown) => void;

/** What is read piece by piece: there each piece is a step. */
const streams: ReadonlySet<string> = new Set(["copying.dump", "statistics.entryTimes"]);

/** The same store, each of whose operations is reported to an observer under its name in the port. */
export function observedStore(store: Store, observe: StoreObserver): Store {
  return wrapStore(store, (name, operation) =>
    streams.has(name)
      ? observedStream(name, operation as OpenStream, observe)
      : observed(name, operation, observe),
  );
}

function observed(name: string, operation: Operation, observe: StoreObserver): Operation {
  return (...given) => {
    const ended = observe(name);
    const result = operation(...given);
    // Both ways are handled here, so this branch can reject nothing; the caller gets the promise itself.
    if (result instanceof Promise) result.then(() => ended(), ended);
    return result;
  };
}

type OpenStream = (...given: unknown[]) => AsyncIterable<unknown>;

function observedStream(name: string, open: OpenStream, observe: StoreObserver): Operation {
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
