import { clientProcess } from "../client-process.js";
import type { Readings } from "../client-worker.js";
import { milliseconds } from "../contest.js";
import type { SdkRow } from "../row.js";
import { repeatedEntry } from "../target.js";

/** In each round, one after the other. */
const reads = 50;

/** What a network takes there and back. */
const delayMs = 20;

export const latency: SdkRow = {
  name: "sdk-latency",
  async measure(stage, rounds) {
    const target = await repeatedEntry(stage, delayMs);
    const ours = await clientProcess(stage, "ours", target);
    const theirs = await clientProcess(stage, "fetch", target);
    const taken: { ours: Readings; theirs: Readings }[] = [];
    for (let round = 0; round < rounds; round++) {
      taken.push({ ours: await ours.readings(reads, 1), theirs: await theirs.readings(reads, 1) });
    }
    return [
      {
        measured: `p50 of entries.get, ${delayMs} ms away`,
        against: "fetch and response.json()",
        goal: { most: 1.03 },
        ours: taken.map((round) => round.ours.p50),
        theirs: taken.map((round) => round.theirs.p50),
        shown: milliseconds,
      },
    ];
  },
};
