import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../server/src/store/open.js";
import type { Store } from "../../../server/src/store/store.js";

/** A clock that moves only when it is told to. */
export interface TestClock {
  (): number;
  set(now: number): void;
  advance(milliseconds: number): void;
}

/** Saturday 21 November 2026, 04:30 UTC. */
export const start = Date.UTC(2026, 10, 21, 4, 30);

export function testClock(): TestClock {
  let now = start;
  return Object.assign(() => now, {
    set: (to: number) => {
      now = to;
    },
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  });
}

/** No adapter may lean on chance where the suite compares ids and answers. */
export const noRandom = (bytes: number) => new Uint8Array(bytes);

export interface OpenedStore {
  readonly store: Store;
  readonly clock: TestClock;
  /** Closes the store and removes what it kept. */
  dispose(): Promise<void>;
}

export interface Adapter {
  readonly name: string;
  /** An empty store of its own. */
  open(): Promise<OpenedStore>;
}

async function openAt(url: string, cleanUp: () => void): Promise<OpenedStore> {
  const clock = testClock();
  const store = await openStore(url, { clock, random: noRandom });
  const dispose = async () => {
    await store.close();
    cleanUp();
  };
  return { store, clock, dispose };
}

export const memory: Adapter = { name: "memory", open: () => openAt("memory:", () => {}) };

export const sqlite: Adapter = {
  name: "sqlite",
  open: () => {
    const folder = mkdtempSync(join(tmpdir(), "queue-api-store-"));
    return openAt(`file:${join(folder, "queue.db")}`, () => rmSync(folder, { recursive: true }));
  },
};

/** Every adapter that the suite holds to the port. */
export const adapters: readonly Adapter[] = [memory, sqlite];
