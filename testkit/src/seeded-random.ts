import { createHash } from "node:crypto";
import type { Random } from "../../server/src/in-process.js";

const blockLength = 4_096;

/** Random bytes that are the same for the same seed, in every run. For tests only: they are predictable. */
export function seededRandom(seed: string): Random {
  let block = Buffer.alloc(0);
  let blocks = 0;
  const refill = () => {
    const hash = createHash("shake256", { outputLength: blockLength });
    block = Buffer.concat([block, hash.update(`${seed}/${blocks++}`).digest()]);
  };
  return (bytes) => {
    while (block.length < bytes) refill();
    const taken = block.subarray(0, bytes);
    block = block.subarray(bytes);
    return taken;
  };
}
