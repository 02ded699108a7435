import type { Random } from "../rules/ports.js";

/** The time and the random bytes for the id, the secret and the creation time of a new record. */
export interface CreationContext {
  readonly now: number;
  readonly random: Random;
}
