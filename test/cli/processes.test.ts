import type { SeededBusiness } from "@queue-api/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Cli, newCli, type Run } from "./command.js";
import { sunrise } from "./fixtures.js";

/** Two equal setups of the command, each with a database and the clinic. */
let setups: readonly { readonly cli: Cli; readonly clinic: SeededBusiness }[];

beforeEach(async () => {
  setups = await Promise.all(
    [newCli(), newCli()].map(async (made) => {
      const cli = await made;
      const { businesses } = await cli.seed(sunrise);
      if (!businesses.sunrise) throw new Error("The seed printed no business.");
      return { cli, clinic: businesses.sunrise };
    }),
  );
});

afterEach(() => Promise.all(setups.map(({ cli }) => cli.remove())));

/** Runs a command in a separate process with one setup and in this process with the other. `$word` stands for a queue of the clinic, or for the database. */
async function bothWays(line: string, input?: string): Promise<[Run, Run]> {
  const runs = setups.map(({ cli, clinic }, at) => {
    const ids: Record<string, string> = { ...clinic.queues, database: cli.database };
    const args = line
      .split(" ")
      .map((word) => (word.startsWith("$") ? (ids[word.slice(1)] ?? word) : word));
    return at === 0 ? cli.process(args, input) : cli.run(args, input);
  });
  const [process, here] = await Promise.all(runs);
  if (!process || !here) throw new Error("there are two setups");
  return [withoutRunDetails(process), withoutRunDetails(here)];
}

/** The output without the parts that differ between runs: ids, secrets and times. */
function withoutRunDetails(run: Run): Run {
  const stdout = run.stdout
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3})?Z/g, "TIME")
    .replaceAll(/(svc_live_)?[a-zA-Z0-9_]{20,}/g, "ID");
  return { ...run, stdout };
}

// All commands of the owner use the same function to open and close the database, so these cover them all.
test.each([
  "business list",
  "key create --business sunrise --name Kiosk --scope queue:read",
  "owner add --business sunrise --email bert@clinic.example",
  "queue pause $front",
  "audit --business sunrise",
  "database prepare",
  "database copy $database memory:",
  "openapi",
  "key list --help",
  "--version",
])("a separate process ends with exit 0, and prints the same output: %s", async (line) => {
  const [process, here] = await bothWays(line);
  expect(process).toMatchObject({ code: 0, stderr: "" });
  expect(process).toEqual(here);
});

test("a separate process reads standard input: seed", async () => {
  const other = JSON.stringify({ businesses: [{ slug: "other", name: "Other" }] });
  const [process, here] = await bothWays("seed -", other);
  expect(process).toMatchObject({ code: 0, stdout: expect.stringContaining("Seeded other") });
  expect(process).toEqual(here);
});

test.each([
  [2, "key make"],
  [1, "business show nobody"],
  [1, "business list --database file:/dev/null/queue.db"],
  [1, "database copy nowhere: memory:"],
  [1, "seed nothing.json"],
])("a separate process fails with exit %i and the same message: %s", async (code, line) => {
  const [process, here] = await bothWays(line);
  expect(process).toMatchObject({ code, stdout: "" });
  expect(process).toEqual(here);
});
