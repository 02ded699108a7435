import { randomFillSync } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Clock, Random } from "./rules/ports.js";

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/** Milliseconds since this process began, by a clock that nobody sets. */
export const systemElapsed: Clock = () => performance.now();

/** The system's random bytes, fetched in larger portions: a call for 16 bytes costs as much as one for 4096. */
export function pooledRandom(): Random {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return (bytes) => {
    if (bytes > pool.length) return randomFillSync(new Uint8Array(bytes));
    if (used + bytes > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.slice(used - bytes, used);
  };
}

/** Lets time pass; settles at once when the signal is aborted. */
export async function systemSleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
