import { clientProcess } from "../client-process.js";
import type { Readings } from "../client-worker.js";
import { milliseconds } from "../contest.js";
import type { SdkRow } from "../row.js";
import { servedEntry } from "../target.js";

/** In each round, one after the other. */
const reads = 2000;

export const latency: SdkRow = {
  name: "sdk-latency",
  async measure(stage, rounds) {
    const target = await servedEntry(stage);
    const ours = await clientProcess(stage, "ours", target);
    const theirs = await clientProcess(stage, "fetch", target);
    const taken: { ours: Readings; theirs: Readings }[] = [];
    for (let round = 0; round < rounds; round++) {
      taken.push({ ours: await ours.readings(reads, 1), theirs: await theirs.readings(reads, 1) });
    }
    return (["p50", "p99"] as const).map((share) => ({
      measured: `${share} of entries.get`,
      against: "fetch and response.json()",
      goal: { most: 1.1 },
      ours: taken.map((round) => round.ours[share]),
      theirs: taken.map((round) => round.theirs[share]),
      shown: milliseconds,
    }));
  },
};
