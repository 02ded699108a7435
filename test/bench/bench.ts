import { Argument, Command, InvalidArgumentError } from "commander";
import { compare, type Effort, machine, table } from "./compare.js";
import { kitRow } from "./kit-row.js";
import { memoryRow } from "./memory-row.js";
import { mongoServer, serviceRows } from "./rows.js";
import { sdkRows } from "./sdk-rows.js";
import { onStage } from "./stage.js";

interface BenchOptions extends Effort {
  readonly cpuProfile?: string;
}

const rows = [...serviceRows, memoryRow, ...sdkRows, kitRow];
const names = rows.map(({ name }) => name);

await new Command("npm run bench --")
  .description(
    "Compares the service, the SDK and the test kit with their peers, side by side in one run, and prints a\ntable of ratios. A goal that is missed is marked and is no failure.",
  )
  .addArgument(new Argument("[rows...]", "which rows to measure").choices(names).default(names))
  .option("--rounds <n>", "how often the sides work in turn", positive, 7)
  .option("--seconds <n>", "how long each side works in a round", positive, 2)
  .option("--cpu-profile <folder>", "write CPU profiles of our server, for the DevTools of Chrome")
  .action(async (chosen: string[], { cpuProfile, ...effort }: BenchOptions) => {
    if (mongoServer === null) {
      console.error("the rows that need MongoDB run with TEST_MONGODB_URL=mongodb://HOST:PORT");
    }
    const nodeOptions =
      cpuProfile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${cpuProfile}`];
    const lines: string[][] = [];
    try {
      for (const row of rows.filter(({ name }) => chosen.includes(name))) {
        const showProgress = (text: string) => console.error(`${row.name}: ${text}`);
        showProgress("preparing");
        const compared = await onStage(nodeOptions, (stage) => {
          return compare(row, stage, effort, showProgress);
        });
        lines.push(...compared);
      }
    } finally {
      const { rounds, seconds } = effort;
      console.log(`${rounds} rounds of ${seconds} s a side; ${machine()}\n\n${table(lines)}`);
    }
  })
  .parseAsync();

function positive(written: string): number {
  const number = Number(written);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}
