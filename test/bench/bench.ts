import { Argument, Command } from "commander";
import { count, mongoServer, positive } from "./api.js";
import { boardRows } from "./board.js";
import type { Effort } from "./compare.js";
import { connections } from "./load.js";
import { mongoRows } from "./mongo-rows.js";
import { type Contest, report } from "./report.js";
import { sdkRows } from "./sdk-rows.js";
import { sqliteRows } from "./sqlite-rows.js";
import { onStage } from "./stage.js";
import { machine } from "./table.js";

interface BenchOptions extends Effort {
  readonly cpuProfile?: string;
}

const rows = [...sqliteRows, ...mongoRows, ...sdkRows, ...boardRows];
const names = rows.map(({ name }) => name);
const usual = [...sqliteRows, ...(mongoServer === null ? [] : mongoRows), ...sdkRows];

await new Command("npm run bench --")
  .description(
    "Compares the service and the SDK with their peers, side by side in one run, the board with its\nlimits, and prints a table of ratios. A goal that is missed is marked and is no failure.",
  )
  .addArgument(
    new Argument("[rows...]", "which rows to measure")
      .choices(names)
      .default(usual.map(({ name }) => name)),
  )
  .option("--rounds <n>", "how often both sides work in turn", count, 7)
  .option("--seconds <n>", "how long each side works in a round", positive, 2)
  .option("--cpu-profile <folder>", "write CPU profiles of our server, for the DevTools of Chrome")
  .action(async (chosen: string[], { cpuProfile, ...effort }: BenchOptions) => {
    if (mongoServer === null) {
      showProgress("the rows that need MongoDB run with TEST_MONGODB_URL=mongodb://HOST:PORT");
    }
    const nodeOptions =
      cpuProfile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${cpuProfile}`];
    const contests: Contest[] = [];
    try {
      for (const row of rows.filter(({ name }) => chosen.includes(name))) {
        showProgress(`${row.name}: preparing`);
        const measure = (stage: Parameters<typeof row.measure>[0]) =>
          row.measure(stage, effort, (text) => showProgress(`${row.name}: ${text}`));
        contests.push(...(await onStage(nodeOptions, measure)));
      }
    } finally {
      const { rounds, seconds } = effort;
      const each = `${rounds} rounds of ${seconds} s a side, ${connections} connections`;
      if (contests.length > 0) console.log(`${each}; ${await machine()}\n\n${report(contests)}`);
    }
  })
  .parseAsync();

function showProgress(progress: string): void {
  console.error(progress);
}
