import { Command } from "commander";
import { ToolsMissingError } from "#tools";
import { type Change, unannounced } from "./changes.js";
import { pendingBumps } from "./pending-bumps.js";
import {
  changesBetween,
  committedSurface,
  currentDocument,
  currentSurface,
  type Surface,
  surfaceOf,
  writeSurface,
} from "./surface.js";

const needed = { major: " (major)", any: "", none: "" } as const;

const program = new Command("npm run api --").description(
  "Holds what others build upon, the OpenAPI document and the published types, to what is committed in contract/openapi.json and */api/.",
);

program
  .command("check")
  .description("fail when they differ from what is committed")
  .option("--since <revision>", "fail as well when no changeset tells what changed since then")
  .action(check);

program
  .command("update")
  .description("write them anew; fail when something breaks that no changeset tells of")
  .action(update);

await program.parseAsync();

async function check({ since }: { since?: string }): Promise<void> {
  const current = await checkable();
  const changes = await changesBetween(await committedSurface(current.keys()), current);
  if (changes.length > 0) {
    fail(
      "What is published is not what is committed:",
      changes,
      "Commit what this writes: npm run api:update",
    );
  }
  if (since === undefined) return;
  const sinceThen = await changesBetween(await surfaceOf(since, current.keys()), current);
  refuseUnannounced(sinceThen, await pendingBumps());
}

/** The files that can be checked: only the document if the tool that reports types is missing. In CI that is a failure. */
async function checkable(): Promise<Surface> {
  try {
    return await currentSurface();
  } catch (error) {
    if (!(error instanceof ToolsMissingError) || process.env.CI) throw error;
    console.warn(`SKIPPED the check of the published types: ${error.message}`);
    return currentDocument();
  }
}

async function update(): Promise<void> {
  const current = await currentSurface();
  const changes = await changesBetween(await committedSurface(current.keys()), current);
  refuseUnannounced(changes, await pendingBumps());
  if (process.exitCode) return;
  await writeSurface(current);
  for (const { what } of changes) console.log(what);
}

function refuseUnannounced(
  changes: readonly Change[],
  bumps: Parameters<typeof unannounced>[1],
): void {
  const left = unannounced(changes, bumps);
  if (left.length > 0) {
    fail("No changeset tells of this:", left, "Add one: npx changeset");
  }
}

function fail(heading: string, changes: readonly Change[], advice: string): void {
  const lines = changes.map(
    (change) => `  ${change.package} ${change.what}${needed[change.needs]}`,
  );
  console.error([heading, ...lines, advice].join("\n"));
  process.exitCode = 1;
}
