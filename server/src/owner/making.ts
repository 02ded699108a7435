import type { Random } from "../rules/ports.js";

/** When, and with which random bytes, something is made. */
export interface Making {
  readonly now: number;
  readonly random: Random;
}
