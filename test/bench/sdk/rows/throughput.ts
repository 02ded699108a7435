import { clientProcess } from "../client-process.js";
import type { ClientName } from "../clients.js";
import { perSecond } from "../contest.js";
import type { SdkRow } from "../row.js";
import { repeatedEntry } from "../target.js";

const reads = 100_000;
const atOnce = 50;

/** Of each client in a round: short ones, so that a slow moment of the machine meets all of them. */
const turns = 4;

const others = [
  ["openai", "openai"],
  ["octokit", "octokit (@octokit/core)"],
] as const satisfies [ClientName, string][];

export const throughput: SdkRow = {
  name: "sdk-throughput",
  async measure(stage, rounds) {
    const target = await repeatedEntry(stage);
    const sides = [];
    for (const client of ["ours", ...others.map(([name]) => name)] as const) {
      const { readings } = await clientProcess(stage, client, target);
      sides.push({ readings, taken: 0, speeds: [] as number[] });
    }
    const part = Math.ceil(reads / rounds / turns);
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) side.taken = 0;
      for (let turn = 0; turn < turns; turn++) {
        for (const side of sides) side.taken += (await side.readings(part, atOnce)).total;
      }
      for (const { speeds, taken } of sides) speeds.push(((part * turns) / taken) * 1000);
    }
    const [ours, ...theirs] = sides.map(({ speeds }) => speeds);
    return others.map(([, against], at) => ({
      measured: `${reads.toLocaleString("en-US")} reads, ${atOnce} at once`,
      against,
      goal: { least: 1 },
      ours: ours ?? [],
      theirs: theirs[at] ?? [],
      shown: perSecond,
    }));
  },
};
