import { type Store, storeOn } from "./operations/store.js";
import type { Clock, Random } from "./rules/ports.js";
import { memoryAdapter } from "./store/memory/memory-adapter.js";
import { portOn } from "./store/run.js";

/** A store in this process, lost when it ends. `elapsed`: milliseconds of a monotonic clock. */
export function memoryStore(clock: Clock, elapsed: Clock, random: Random): Store {
  return storeOn(portOn(memoryAdapter(), { clock, elapsed, random }));
}
