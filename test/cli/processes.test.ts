import type { SeededBusiness } from "@queue-api/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Desk, newDesk, type Run } from "./command.js";
import { sunrise } from "./fixtures.js";

/** A desk with the clinic, and an equal second desk. */
let desks: readonly { readonly desk: Desk; readonly clinic: SeededBusiness }[];

beforeEach(async () => {
  desks = await Promise.all(
    [newDesk(), newDesk()].map(async (made) => {
      const desk = await made;
      const { businesses } = await desk.seed(sunrise);
      if (!businesses.sunrise) throw new Error("The seed printed no business.");
      return { desk, clinic: businesses.sunrise };
    }),
  );
});

afterEach(() => Promise.all(desks.map(({ desk }) => desk.remove())));

/** Runs a command in a separate process at one desk and in this process at the other. `$word` is a queue of the clinic, or the database. */
async function bothWays(line: string, input?: string): Promise<[Run, Run]> {
  const runs = desks.map(({ desk, clinic }, at) => {
    const ids: Record<string, string> = { ...clinic.queues, database: desk.database };
    const args = line
      .split(" ")
      .map((word) => (word.startsWith("$") ? (ids[word.slice(1)] ?? word) : word));
    return at === 0 ? desk.process(args, input) : desk.run(args, input);
  });
  const [process, here] = await Promise.all(runs);
  if (!process || !here) throw new Error("there are two desks");
  return [alike(process), alike(here)];
}

/** The output without the parts that differ between runs: ids, secrets and times. */
function alike(run: Run): Run {
  const stdout = run.stdout
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3})?Z/g, "TIME")
    .replaceAll(/(svc_live_)?[a-zA-Z0-9_]{20,}/g, "ID");
  return { ...run, stdout };
}

// All commands of the owner open and close the database in the same function, so these cover them all.
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
])("as a process of its own ends with exit 0, and says what it says here: %s", async (line) => {
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
