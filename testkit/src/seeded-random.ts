import { createHash } from "node:crypto";
import type { Random } from "../../server/src/in-process.js";

/** Random bytes that are the same for the same seed, in every run. For tests only: they are predictable. */
export function seededRandom(seed: string): Random {
  let calls = 0;
  return (bytes) =>
    createHash("shake256", { outputLength: bytes }).update(`${seed}/${calls++}`).digest();
}
