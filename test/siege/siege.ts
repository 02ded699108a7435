import { Argument, Command } from "commander";
import { onStage } from "../bench/stage.js";
import { machine, verdict } from "../bench/table.js";
import type { Finding, Row } from "./row.js";
import { rows } from "./rows/index.js";

const names = rows.map(({ name }) => name);
const minutes = Math.ceil(rows.reduce((sum, { seconds }) => sum + seconds, 0) / 60);

await new Command("npm run siege --")
  .description(
    `Attacks servers on this machine, each row one of its own, while healthy clients are measured. All rows take
about ${minutes} minutes. The exit code is 1 when a goal is missed.`,
  )
  .addArgument(new Argument("[rows...]", "which rows to run").choices(names).default(names))
  .action(async (chosen: string[]) => {
    const results: { row: Row; findings: readonly Finding[] }[] = [];
    for (const row of rows.filter(({ name }) => chosen.includes(name))) {
      results.push({ row, findings: await run(row) });
    }
    console.log(`${await machine()}\n`);
    for (const { row, findings } of results) console.log(`${row.attack}\n${report(findings)}\n`);
    const missed = results.flatMap(({ findings }) => findings).filter(({ met }) => !met);
    if (missed.length > 0) {
      console.log(`${missed.length} goals were missed.`);
      process.exitCode = 1;
    }
  })
  .parseAsync();

/** Runs a row. If its attack fails to run, its goal is missed, and the other rows still run. */
async function run(row: Row): Promise<readonly Finding[]> {
  const showProgress = (progress: string) => console.error(`${row.name}: ${progress}`);
  showProgress(`preparing; takes about ${row.seconds} s`);
  try {
    return await onStage([], (stage) => row.run(stage, showProgress));
  } catch (error) {
    showProgress(`failed: ${error instanceof Error ? error.stack : error}`);
    return [{ what: "the row", goal: "runs", measured: "failed", met: false }];
  }
}

function report(findings: readonly Finding[]): string {
  return findings
    .map(({ what, goal, measured, met, before }) => {
      const earlier = before === undefined ? "" : ` (before: ${before})`;
      return `  ${verdict(met)}  ${measured}, goal ${goal}${earlier}: ${what}`;
    })
    .join("\n");
}
