import { Argument, Command, InvalidArgumentError } from "commander";
import { type Contest, type Effort, report } from "./compare.js";
import { kitRow } from "./kit-row.js";
import { mongoServer, serviceRows } from "./rows.js";
import { sdkRows } from "./sdk-rows.js";
import { onStage } from "./stage.js";
import { machine } from "./table.js";

interface BenchOptions extends Effort {
  readonly cpuProfile?: string;
}

const rows = [...serviceRows, ...sdkRows, kitRow];
const names = rows.map(({ name }) => name);

await new Command("npm run bench --")
  .description(
    "Compares the service, the SDK and the test kit with their peers, side by side in one run, and prints a table of\nratios. A goal that is missed is marked and is no failure.",
  )
  .addArgument(new Argument("[rows...]", "which rows to measure").choices(names).default(names))
  .option("--rounds <n>", "how often the sides work in turn", positive, 7)
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
      const each = `${rounds} rounds of ${seconds} s a side`;
      if (contests.length > 0) console.log(`${each}; ${await machine()}\n\n${report(contests)}`);
    }
  })
  .parseAsync();

function showProgress(progress: string): void {
  console.error(progress);
}

/** Reads an option that is a number above 0. */
function positive(written: string): number {
  const number = Number(written);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}
