import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { importTool } from "#tools";
import { milliseconds } from "../contest.js";
import type { SdkRow } from "../row.js";

const run = promisify(execFile);

const { resolved } = await importTool("bench", "peers.js");

const packages = ["@queue-api/sdk", "stripe", "openai"] as const;

/** How often each is loaded: far more often than there are rounds, for it takes no time. */
const samples = 21;

export const importTime: SdkRow = {
  name: "sdk-import",
  async measure() {
    const times = packages.map((name) => ({ name, taken: [] as number[] }));
    for (let sample = 0; sample < samples; sample++) {
      for (const { name, taken } of times) taken.push(await loading(name));
    }
    const [ours, ...others] = times;
    const goals = { stripe: 0.5, openai: 1 } as Readonly<Record<string, number>>;
    return others.map(({ name, taken }) => ({
      measured: "time to import",
      against: name,
      goal: { most: goals[name] ?? 1 },
      ours: ours?.taken ?? [],
      theirs: taken,
      shown: milliseconds,
    }));
  },
};

/** Milliseconds that a fresh process takes to import a package. */
async function loading(name: string): Promise<number> {
  const url = JSON.stringify(resolved(name));
  const program = `const began = performance.now();
    await import(${url});
    console.log(performance.now() - began);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}
