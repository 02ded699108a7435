import { Argument, Command } from "commander";
import { onStage } from "../bench/stage.js";
import { machine, verdict } from "../bench/table.js";
import type { Finding, Row } from "./row.js";
import { longLine } from "./rows/long-line.js";
import { foreignAddress, ignoredRefusals } from "./rows/refused-requests.js";
import { slowRequests } from "./rows/slow-requests.js";
import { unknownPaths } from "./rows/unknown-paths.js";
import { slowlyReadAnswers, unreadAnswers } from "./rows/unread-answers.js";

/** Every row of the table, in its order. */
const rows: readonly Row[] = [
  unreadAnswers,
  slowlyReadAnswers,
  unknownPaths,
  slowRequests,
  ignoredRefusals,
  foreignAddress,
  longLine,
];
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
    .map(({ what, goal, measured, met }) => `  ${verdict(met)}  ${measured}, goal ${goal}: ${what}`)
    .join("\n");
}
