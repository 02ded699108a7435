import { Argument, Command } from "commander";
import { machine, verdict } from "../bench/compare.js";
import { onStage } from "../bench/stage.js";
import { type Row, rows } from "./rows.js";
import type { Finding } from "./target.js";

const names = rows.map(({ name }) => name);
const minutes = Math.ceil(rows.reduce((sum, { seconds }) => sum + seconds + 15, 0) / 60);

await new Command("npm run siege --")
  .description(
    `Attacks servers on this machine, each row one of its own, while healthy clients are measured. All rows take about ${minutes} minutes. The exit code is 1 when a goal is missed.`,
  )
  .addArgument(new Argument("[rows...]", "which rows to run").choices(names).default(names))
  .action(async (chosen: string[]) => {
    console.log(machine());
    for (const row of rows.filter(({ name }) => chosen.includes(name))) {
      console.log(`\n${row.attack}, for ${row.seconds} s`);
      for (const { what, measured, below, unit } of await run(row)) {
        const isMet = measured < below;
        const value = measured === Infinity ? "the process died" : `${measured} ${unit}`;
        console.log(`  ${verdict(isMet)}  ${value}, goal < ${below}: ${what}`);
        if (!isMet) process.exitCode = 1;
      }
    }
  })
  .parseAsync();

/** Runs a row. If its attack fails to run, its goal is missed, and the other rows still run. */
async function run(row: Row): Promise<readonly Finding[]> {
  try {
    return await onStage([], (stage) => row.run(stage));
  } catch (error) {
    console.error(error);
    return [{ what: row.name, measured: 1, below: 1, unit: "attacks that failed to run" }];
  }
}
