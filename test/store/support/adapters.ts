import { openStore } from "../../../server/src/open-store.js";
import { storeOn } from "../../../server/src/operations/store.js";
import { wrapStore } from "../../../server/src/operations/wrap-store.js";
import type { Access, Adapter } from "../../../server/src/store/port.js";
import { portOn } from "../../../server/src/store/run.js";

/** Saturday 21 November 2026, 04:30 UTC. */
export const start = Date.UTC(2026, 10, 21, 4, 30);

/** A clock that moves only when a test moves it. */
export function testClock() {
  let [elapsed, leapt] = [start, 0];
  return Object.assign(() => elapsed + leapt, {
    advance(milliseconds: number) {
      elapsed += milliseconds;
    },
    /** Sets the clock to another time without elapsed time. */
    leap(milliseconds: number) {
      leapt += milliseconds;
    },
    /** Elapsed milliseconds, independent of the time that was set. */
    elapsed: () => elapsed,
  });
}

/** Fixed random bytes, because tests compare ids and results. */
export const noRandom = (bytes: number) => new Uint8Array(bytes);

/**
 * Opens the store of a database. By default a new one in memory. What its operations get and return is copied, as between
 * the threads of `serve`.
 */
export async function openedStore(url = "memory:") {
  const clock = testClock();
  const store = await openStore(url, { clock, elapsed: clock.elapsed, random: noRandom });
  const copying = wrapStore(store, (_, operation) => async (...given) => {
    return structuredClone(await operation(...structuredClone(given)));
  });
  return { store: copying, clock };
}

/** An adapter whose operations get some other calls than its own. */
export function withAccess(
  adapter: Adapter,
  replaced: (access: Access) => Partial<Access>,
): Adapter {
  return {
    ...adapter,
    runOnce: (operation, isDurable) =>
      adapter.runOnce((access) => operation({ ...access, ...replaced(access) }), isDurable),
  };
}

/** The operations on an adapter of the test. */
export function storeOnAdapter(adapter: Adapter, clock = testClock()) {
  const { elapsed } = clock;
  return { store: storeOn(portOn(adapter, { clock, elapsed, random: noRandom })), clock };
}
