import { Argument, Command } from "commander";
import { count, mongoServer, positive } from "./api.js";
import { type Comparison, compare, type Effort, type Row } from "./compare.js";
import { connections } from "./load.js";
import { mongoRows } from "./mongo-rows.js";
import { type Contest, contestReport, report } from "./report.js";
import { type SdkRow, sdkRows } from "./sdk-rows.js";
import { sqliteRows as rows } from "./sqlite-rows.js";
import { onStage } from "./stage.js";
import { machine } from "./table.js";

interface BenchOptions extends Effort {
  readonly cpuProfile?: string;
}

const names = [...rows, ...mongoRows, ...sdkRows].map((row) => row.name);
const possible = [...rows, ...(mongoServer === null ? [] : mongoRows), ...sdkRows].map(
  (row) => row.name,
);

await new Command("npm run bench --")
  .description(
    "Compares the service and the SDK with their peers, side by side in one run, and prints tables of ratios.\nA goal that is missed is marked and is no failure.",
  )
  .addArgument(new Argument("[rows...]", "which rows to measure").choices(names).default(possible))
  .option("--rounds <n>", "how often both sides work in turn", count, 7)
  .option("--seconds <n>", "how long each side works in a round", positive, 2)
  .option("--cpu-profile <folder>", "write CPU profiles of our server, for the DevTools of Chrome")
  .action(async (chosen: string[], options: BenchOptions) => {
    const done: Comparison[] = [];
    const ofSdk: Contest[] = [];
    if (mongoServer === null && chosen === possible) {
      showProgress(
        "left out: the rows that need MongoDB. Run them with TEST_MONGODB_URL=mongodb://HOST:PORT",
      );
    }
    try {
      for (const row of [...rows, ...mongoRows].filter(({ name }) => chosen.includes(name))) {
        done.push(await measured(row, options));
      }
      for (const row of sdkRows.filter(({ name }) => chosen.includes(name))) {
        ofSdk.push(...(await measuredSdk(row, options)));
      }
    } finally {
      if (done.length > 0) console.log(`${await heading(options)}\n\n${report(done)}`);
      if (ofSdk.length > 0) {
        console.log(
          `The SDK, ${options.rounds} rounds; ${await machine()}\n\n${contestReport(ofSdk)}`,
        );
      }
    }
  })
  .parseAsync();

function measured(row: Row, options: BenchOptions): Promise<Comparison> {
  const { rounds, cpuProfile } = options;
  const nodeOptions =
    cpuProfile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${cpuProfile}`];
  return onStage(nodeOptions, async (stage) => {
    showProgress(`${row.name}: preparing`);
    const sides = await row.sides(stage, options.rounds);
    showProgress(`${row.name}: warming up`);
    return compare(row, sides, options, (round, ours, theirs) => {
      const speeds = `ours ${Math.round(ours)}/s, theirs ${Math.round(theirs)}/s`;
      showProgress(`${row.name}: round ${round} of ${rounds}: ${speeds}`);
    });
  });
}

function measuredSdk(row: SdkRow, { rounds }: Effort): Promise<Contest[]> {
  showProgress(`${row.name}: measuring`);
  return onStage([], (stage) => row.measure(stage, rounds));
}

async function heading({ rounds, seconds }: Effort): Promise<string> {
  return `${rounds} rounds of ${seconds} s a side, ${connections} connections; ${await machine()}`;
}

function showProgress(progress: string): void {
  console.error(progress);
}
