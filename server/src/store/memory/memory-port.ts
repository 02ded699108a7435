import type { Clock, Random } from "../../rules/ports.js";
import { StoreClock } from "../clock.js";
import type { Port } from "../port.js";
import { portOn } from "../run.js";
import { memoryAdapter } from "./memory-adapter.js";

/** A database in this process, lost when it ends. `elapsed`: milliseconds of a monotonic clock. */
export function memoryPort(clock: Clock, elapsed: Clock, random: Random): Port {
  return portOn(memoryAdapter(), { clock: new StoreClock(clock, elapsed), elapsed, random });
}
