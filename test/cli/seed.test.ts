import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { type Cli, expectFailure, newCli } from "./command.js";
import { aKey, sunrise } from "./fixtures.js";

let cli: Cli;

beforeEach(async () => {
  cli = await newCli();
});

const slugs = async () =>
  (await cli.json<{ slug: string }[]>(["business", "list"])).map(({ slug }) => slug);

describe("seed", () => {
  it("reads a file, also one that starts with a byte order mark", async () => {
    for (const [slug, mark] of [
      ["one", ""],
      ["two", "\ufeff"],
    ] as const) {
      const json = JSON.stringify({ businesses: [{ slug, name: "Salon" }] });
      await cli.json(["seed", await cli.file("seed.json", mark + json)]);
    }
    expect(await slugs()).toEqual(["one", "two"]);
  });

  it("shows the keys of what is written when a later business fails", async () => {
    await cli.json(["database", "prepare"]);
    const db = new DatabaseSync(cli.database.slice("file:".length));
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON businesses WHEN NEW.slug = 'other'
      BEGIN SELECT RAISE(ABORT, 'it fails'); END`);
    db.close();
    const other = { slug: "other", name: "Other" };
    const input = JSON.stringify({ businesses: [...sunrise.businesses, other] });
    const { code, stdout, stderr } = await cli.run(["seed", "-"], input);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "queue-api: it fails\n" });
    expect(stdout).toMatch(/^Seeded sunrise, and no other business of the file\.\n\nBUSINESS/);
    expect(stdout).toMatch(/^sunrise +kiosk +svc_live_/m);
    const again = await cli.run(["seed", "-", "--replace", "--json"], input);
    expect(JSON.parse(again.stdout).businesses.sunrise.keys.kiosk).toEqual(aKey);
  });

  it.each([
    ["JSON", '{ "businesses": [\n  "a secret" "b" ] }', /^the seed file is not JSON; correct it/],
    ["UTF-8", Buffer.from('{ "a": "\xe9" }', "latin1"), /^the seed file is not UTF-8/],
  ])(
    "refuses a file that is not %s, repeats none of its values, and writes nothing",
    async (...row) => {
      const [, content, message] = row;
      const run = await cli.run(["seed", await cli.file("refused.json", content)]);
      expectFailure(run, 1, message);
      expect(run.stderr).not.toContain("secret");
      expect(await slugs()).toEqual([]);
    },
  );
});
