import { clientProcess } from "../client-process.js";
import type { SdkRow } from "../row.js";
import { repeatedEntry } from "../target.js";

/** Of each side in a round, alternating in parts, so that a slow moment of the machine meets both. */
const reads = 4000;
const parts = 4;
const atOnce = 10;

export const cpu: SdkRow = {
  name: "sdk-cpu",
  async measure(stage, rounds) {
    const target = await repeatedEntry(stage);
    const ours = { client: await clientProcess(stage, "ours", target), costs: [] as number[] };
    const theirs = { client: await clientProcess(stage, "ky", target), costs: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const spent = new Map([ours, theirs].map((side) => [side, 0]));
      for (let part = 0; part < parts; part++) {
        for (const [side, before] of spent) {
          const { cpu } = await side.client.readings(reads / parts, atOnce);
          spent.set(side, before + cpu);
        }
      }
      for (const [side, cpu] of spent) side.costs.push((cpu / reads) * 1000);
    }
    return [
      {
        measured: "processor time of one entries.get",
        against: "ky.get().json()",
        goal: { most: 1.15 },
        ours: ours.costs,
        theirs: theirs.costs,
        shown: (microseconds) => `${Math.round(microseconds)} µs`,
      },
    ];
  },
};
