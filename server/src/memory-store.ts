import { type Store, storeOn } from "./operations/store.js";
import type { Clock, Random } from "./rules/ports.js";
import { memoryPort } from "./store/memory/memory-port.js";

/** A store in this process, lost when it ends. `elapsed`: milliseconds of a monotonic clock. */
export function memoryStore(clock: Clock, elapsed: Clock, random: Random): Store {
  return storeOn(memoryPort(clock, elapsed, random));
}
