import { DatabaseSync } from "@photostructure/sqlite";
import type { SeedResult } from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";
import { type Cli, expectFailure, newCli } from "./command.js";
import { aKey, anId, sunrise } from "./fixtures.js";

let cli: Cli;

beforeEach(async () => {
  cli = await newCli();
});

const slugs = async () =>
  (await cli.json<{ slug: string }[]>(["business", "list"])).map(({ slug }) => slug);

describe("seed", () => {
  it("prints the id or key of every ref", async () => {
    const file = await cli.file("sunrise.json", JSON.stringify(sunrise));
    const entries = ["waiting", "priority", "serving", "completed", "canceled", "missed"];
    expect(await cli.json(["seed", file])).toEqual({
      businesses: {
        sunrise: {
          id: anId,
          services: { consult: anId },
          queues: { front: anId, empty: anId },
          entries: Object.fromEntries(entries.map((ref) => [ref, anId])),
          appointments: { a1: anId },
          keys: { kiosk: aKey, old: aKey },
        },
      },
    });
  });

  it("reads standard input, and a file that starts with a byte order mark", async () => {
    await cli.json(["seed", "-"], JSON.stringify(sunrise));
    const other = JSON.stringify({ businesses: [{ slug: "other", name: "Other" }] });
    await cli.json(["seed", await cli.file("other.json", `\ufeff${other}`)]);
    expect(await slugs()).toEqual(["sunrise", "other"]);
  });

  it("prints the keys for a person, and no progress without a terminal", async () => {
    const { stdout, stderr } = await cli.run(["seed", "-"], JSON.stringify(sunrise));
    expect(stdout).toMatch(/^Seeded sunrise\.\n\nBUSINESS +REF +KEY\nsunrise +kiosk +svc_live_/);
    expect(stderr).toBe("");
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

  it("refuses an existing slug, unless --replace is given", async () => {
    const first = await cli.json<SeedResult>(["seed", "-"], JSON.stringify(sunrise));
    const again = await cli.run(["seed", "-"], JSON.stringify(sunrise));
    expectFailure(again, 1, /^businesses\[0\]\.slug exists already.*use --replace/);
    const added = { businesses: [{ slug: "new", name: "New" }, ...sunrise.businesses] };
    expectFailure(
      await cli.run(["seed", "-"], JSON.stringify(added)),
      1,
      /^businesses\[1\]\.slug exists already/,
    );
    expect(await slugs()).toEqual(["sunrise"]);

    const second = await cli.json<SeedResult>(["seed", "-", "--replace"], JSON.stringify(sunrise));
    expect(second.businesses.sunrise?.id).not.toBe(first.businesses.sunrise?.id);
    expect(await slugs()).toEqual(["sunrise"]);
    const oldQueue = first.businesses.sunrise?.queues.front ?? "";
    expectFailure(await cli.run(["queue", "pause", oldQueue]), 1, /no queue has this id/);
  });

  const entries = [{}, {}, {}, { phone: "a secret" }];
  const withErrors = [
    { slug: "good", name: "Good" },
    { slug: "bad", name: "Bad", queues: [{ name: "A" }, { name: "B", entries, open: true }] },
  ];

  it.each<[string, string | Buffer, string | RegExp]>([
    [
      "with errors",
      JSON.stringify({ businesses: withErrors }),
      /^the seed file has 2 errors, nothing was written: businesses\[1\]\.queues\[1\]\.entries\[3\]\.phone must be .*; businesses\[1\]\.queues\[1\]\.open is not a known field$/,
    ],
    [
      "that is not JSON",
      '{ "businesses": [\n  "a secret" "b" ] }',
      /^the seed file is not JSON; correct it/,
    ],
    [
      "that ends early",
      '{ "businesses":\n',
      "the seed file is not JSON; correct it at line 2, column 1",
    ],
    [
      "that has fields twice in one object",
      '{ "businesses": [{ "slug": "a", "name": "{A}", "queues": [{ "name": "B" }, { "name": "C" }] },' +
        '{ "slug": "b", "slug": "c", "queues": [{ "name": "B" }, { "name": "D,", "name": "E" }] }] }',
      "the seed file repeats these fields: businesses[1].slug, businesses[1].queues[1].name",
    ],
    ["that is not UTF-8", Buffer.from('{ "a": "\xe9" }', "latin1"), /^the seed file is not UTF-8/],
  ])("refuses a file %s, repeats none of its values, and writes nothing", async (...row) => {
    const [, content, message] = row;
    const run = await cli.run(["seed", await cli.file("refused.json", content)]);
    expectFailure(run, 1, message);
    expect(run.stderr).not.toContain("secret");
    expect(await slugs()).toEqual([]);
  });

  it("refuses a file that is missing", async () => {
    const message = "the seed file cannot be read (ENOENT); check its path";
    expectFailure(await cli.run(["seed", `${cli.database}.gone`]), 1, message);
  });
});
