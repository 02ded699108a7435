import { openStore } from "../../../server/src/open-store.js";
import { type Store, storeOn } from "../../../server/src/operations/store.js";
import type { Adapter } from "../../../server/src/store/port.js";
import { portOn } from "../../../server/src/store/run.js";

/** A clock that moves only when a test moves it. */
export interface TestClock {
  (): number;
  advance(milliseconds: number): void;
  /** Sets the clock to another time without elapsed time. */
  leap(milliseconds: number): void;
  /** Elapsed milliseconds, independent of the time that was set. */
  elapsed(): number;
}

/** Saturday 21 November 2026, 04:30 UTC. */
export const start = Date.UTC(2026, 10, 21, 4, 30);

export function testClock(): TestClock {
  let elapsed = start;
  let leapt = 0;
  return Object.assign(() => elapsed + leapt, {
    leap: (milliseconds: number) => {
      leapt += milliseconds;
    },
    elapsed: () => elapsed,
    advance: (milliseconds: number) => {
      elapsed += milliseconds;
    },
  });
}

/** Fixed random bytes, because tests compare ids and results. */
export const noRandom = (bytes: number) => new Uint8Array(bytes);

export interface OpenedStore {
  readonly store: Store;
  readonly clock: TestClock;
}

/** Opens the store of a database. By default a new one in memory. */
export async function openedStore(url = "memory:"): Promise<OpenedStore> {
  const clock = testClock();
  const store = await openStore(url, { clock, elapsed: clock.elapsed, random: noRandom });
  return { store, clock };
}

/** The operations on an adapter of the test. */
export function storeOnAdapter(adapter: Adapter, clock = testClock()): OpenedStore {
  const { elapsed } = clock;
  return { store: storeOn(portOn(adapter, { clock, elapsed, random: noRandom })), clock };
}
