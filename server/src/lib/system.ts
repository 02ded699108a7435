import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Clock, Random } from "../rules/ports.js";

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/** Milliseconds since the process started, by a monotonic clock. */
export const systemElapsed: Clock = () => performance.now();

/** The system's random bytes. */
export const systemRandom: Random = (bytes) => randomBytes(bytes);

/** Waits. Resolves early when the signal is aborted. */
export async function systemSleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The signals that ask a process to stop. */
export const stopSignals = ["SIGTERM", "SIGINT"] as const;

/** Waits for the first signal to stop. A second one ends the process at once, with exit code 1. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    for (const signal of stopSignals) process.on(signal, onSignal);
  });
}
