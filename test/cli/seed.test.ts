import type { SeedResult } from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";
import { type Cli, failure, newCli } from "./command.js";
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

  it("refuses an existing slug, unless --replace is given", async () => {
    const first = await cli.json<SeedResult>(["seed", "-"], JSON.stringify(sunrise));
    const again = await cli.run(["seed", "-"], JSON.stringify(sunrise));
    expect(again).toEqual(failure(1, /^businesses\[0\]\.slug exists already.*use --replace/));
    const added = { businesses: [{ slug: "new", name: "New" }, ...sunrise.businesses] };
    expect(await cli.run(["seed", "-"], JSON.stringify(added))).toEqual(
      failure(1, /^businesses\[1\]\.slug exists already/),
    );
    expect(await slugs()).toEqual(["sunrise"]);

    const second = await cli.json<SeedResult>(["seed", "-", "--replace"], JSON.stringify(sunrise));
    expect(second.businesses.sunrise?.id).not.toBe(first.businesses.sunrise?.id);
    expect(await slugs()).toEqual(["sunrise"]);
    const oldQueue = first.businesses.sunrise?.queues.front ?? "";
    expect(await cli.run(["queue", "pause", oldQueue])).toEqual(failure(1, /no queue has this id/));
  });

  it("writes nothing of a file with errors, and names each error by its path", async () => {
    const entries = [{}, {}, {}, { phone: "not a number" }];
    const file = {
      businesses: [
        { slug: "good", name: "Good" },
        { slug: "bad", name: "Bad", queues: [{ name: "A" }, { name: "B", entries, open: true }] },
      ],
    };
    const run = await cli.run(["seed", "-"], JSON.stringify(file));
    expect(run).toEqual(
      failure(
        1,
        /^the seed file has 2 errors, nothing was written: businesses\[1\]\.queues\[1\]\.entries\[3\]\.phone must be .*; businesses\[1\]\.queues\[1\]\.open is not a known field$/,
      ),
    );
    expect(run.stderr).not.toContain("not a number");
    expect(await slugs()).toEqual([]);
  });

  it("reports the position of a JSON syntax error, without text of the file", async () => {
    const file = await cli.file("broken.json", '{ "businesses": [\n  "a secret" "b" ] }');
    const run = await cli.run(["seed", file]);
    expect(run).toEqual(failure(1, /^the seed file is not JSON; correct it/));
    expect(run.stderr).not.toContain("secret");
    expect(await cli.run(["seed", "-"], '{ "businesses":\n')).toEqual(
      failure(1, "the seed file is not JSON; correct it at line 2, column 1"),
    );
  });

  it("refuses a field that appears twice in one object, and names its path", async () => {
    const text =
      '{ "businesses": [{ "slug": "a", "name": "{A}", "queues": [{ "name": "B" }, { "name": "C" }] },' +
      '{ "slug": "b", "slug": "c", "queues": [{ "name": "B" }, { "name": "D,", "name": "E" }] }] }';
    expect(await cli.run(["seed", "-"], text)).toEqual(
      failure(
        1,
        "the seed file repeats these fields: businesses[1].slug, businesses[1].queues[1].name",
      ),
    );
  });

  it("refuses a file that is not UTF-8, and a missing file", async () => {
    const latin = await cli.file("latin.json", Buffer.from('{ "businesses": "\xe9" }', "latin1"));
    expect(await cli.run(["seed", latin])).toEqual(failure(1, /^the seed file is not UTF-8/));
    expect(await cli.run(["seed", `${latin}.gone`])).toEqual(
      failure(1, /^the seed file cannot be read \(ENOENT\); check its path$/),
    );
  });
});
