import type { Random } from "../rules/ports.js";

/** The time and the random bytes that a new record takes its id, secret and creation time from. */
export interface CreationContext {
  readonly now: number;
  readonly random: Random;
}
