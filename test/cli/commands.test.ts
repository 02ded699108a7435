import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@queue-api/contract";
import { openStore } from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";
import { auditRow } from "../store/support/records.js";
import { temporaryFolder } from "../support/folder.js";
import { type Cli, expectFailure, newCli, runHere } from "./command.js";
import { sunrise } from "./fixtures.js";

let cli: Cli;
let ids: Readonly<Record<string, string>>;

/** A salon with as many keys as a business may have. */
const keys = Array.from({ length: 10 }, (_, at) => ({ ref: `spare${at}`, name: "Spare" }));
const salon = { slug: "salon", name: "Salon", keys };

beforeEach(async () => {
  cli = await newCli();
  const seeded = await cli.seed({ businesses: [...sunrise.businesses, salon] });
  const named = Object.values(seeded.businesses).flatMap(
    ({ services, queues, entries, appointments, keys }) => [
      ...[services, queues, entries, appointments].flatMap((refs) => Object.entries(refs)),
      ...Object.entries(keys).map(([ref, key]) => [ref, key.split("_")[2] ?? ""]),
    ],
  );
  ids = Object.fromEntries(named);
  const store = await openStore(cli.database, { clock: Date.now, random: randomBytes });
  const businessId = seeded.businesses.sunrise?.id ?? "";
  const of = { businessId, keyId: ids.kiosk ?? "" };
  const now = Date.now();
  const rows = ["older", "newer"].map((name, at) => auditRow(name, { ...of, at: now + at }));
  await store.audit.append(rows);
  await store.close();
});

/**
 * A line such as `$ PORT=0 queue-api seed - <<< '{}'`, as settings, arguments and input. `$ref` stands for an id of the
 * seeded businesses, `""` for an empty text.
 */
function parsed(line: string) {
  const [, settings = "", words = "", input] =
    /^\$ (.*?)queue-api ?(.*?)(?: <<< '(.*)')?$/.exec(line) ?? [];
  const each = (text: string) => text.split(" ").filter(Boolean);
  return {
    env: Object.fromEntries(each(settings).map((setting) => setting.split("="))),
    args: each(words).map((word) => {
      if (word === '""') return "";
      return word.startsWith("$") ? (ids[word.slice(1)] ?? "0".repeat(24)) : word;
    }),
    input,
  };
}

/** An output without what differs each time, as wide as before in a table. Ids have the names of their refs. */
function lasting(output: string): string {
  const refs = new Map(Object.entries(ids).map(([ref, id]) => [id, `$${ref}`]));
  return output
    .replaceAll(/svc_live_[a-zA-Z0-9]{24}_[a-zA-Z0-9]{43}/g, "$KEY")
    .replaceAll(/token=[a-zA-Z0-9]{43}/g, "token=$TOKEN")
    .replaceAll(/\b([a-zA-Z0-9]{24})\b( ?)/g, (_, id: string, space: string) => {
      const ref = refs.get(id) ?? "$ID";
      return space === "" ? ref : ref.padEnd(25);
    })
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "YYYY-MM-DDThh:mm:ss.sssZ")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\dZ/g, "YYYY-MM-DD hh:mmZ")
    .replaceAll(/\d{4}-\d\d-\d\d/g, "YYYY-MM-DD");
}

/** A line with what a terminal shows below it. */
async function shown(line: string): Promise<string> {
  const { env, args, input } = parsed(line);
  const run = await runHere(args, input, { DATABASE_URL: cli.database, ...env });
  const { code, stdout, stderr } = run;
  expect(code === 0 ? stderr : stdout, line).toBe("");
  return `${line}\n${lasting(stdout + stderr)}${code === 0 ? "" : `exit ${code}\n`}`;
}

// Each file has commands with their outputs, one after the other on the same database. `npm run api:update` writes the
// outputs, so that a review sees what changes.
const transcripts = join(import.meta.dirname, "transcripts");
const linesOf = (name: string) =>
  readFileSync(join(transcripts, name), "utf8").match(/^\$ .*$/gm) ?? [];

describe.each(readdirSync(transcripts))("%s", (name) => {
  it("has the commands with their outputs", async () => {
    const outputs: string[] = [];
    for (const line of linesOf(name)) outputs.push(await shown(line));
    await expect(outputs.join("\n")).toMatchFileSnapshot(join(transcripts, name));
  });

  it("has no command that creates a missing database", async () => {
    const folder = temporaryFolder();
    for (const path of ["typo.db", "typed/wrong/typo.db"]) {
      for (const line of linesOf(name)) {
        const { env, args } = parsed(line);
        await runHere(args, "", { ...env, DATABASE_URL: `file:${join(folder, path)}` });
      }
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a missing database", () => {
  it.each(["business list", "simulate", "database copy $from $to"])(
    "is reported with exit 1, and is not created: queue-api %s",
    async (line) => {
      const folder = temporaryFolder();
      const url = `file:${join(folder, "typo.db")}`;
      const args = line.replace("$from", url).replace("$to", `${url}.copy`).split(" ");
      const none = /^There is no database at \S+typo\.db\. .+ queue-api database prepare\.$/;
      expectFailure(await runHere(args, "", { DATABASE_URL: url }), 1, none);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.each([
    ["database prepare", ""],
    ["seed -", '{ "businesses": [] }'],
  ])("is created by the commands that prepare one: queue-api %s", async (line, input) => {
    const env = { DATABASE_URL: `file:${join(temporaryFolder(), "new", "queue.db")}` };
    expect(await runHere(line.split(" "), input, env)).toMatchObject({ code: 0, stderr: "" });
    expect(await runHere(["business", "list"], "", env)).toMatchObject({
      code: 0,
      stdout: "No businesses yet.\n",
    });
  });
});

it.each(["help key create", "key help create", "help key", "help"])(
  "help is asked for in words too: queue-api %s",
  async (line) => {
    const words = line.split(" ");
    const named = words.filter((word) => word !== "help");
    expect(await runHere(words)).toEqual(await runHere([...named, "--help"]));
  },
);

it("key create prints the id by which the key is found", async () => {
  const line = "key create --business sunrise --name Kiosk --scope queue:read";
  const { id, key } = await cli.json<{ id: string; key: string }>(line.split(" "));
  expect(key.split("_")[2]).toBe(id);
});

it("version is the version of the package", async () => {
  const manifest = new URL("../../server/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  expect(await runHere(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

it("openapi prints the OpenAPI document of the service, also without --json", async () => {
  const baseUrl = "https://queue.example";
  const document = openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` });
  for (const args of [["openapi"], ["openapi", "--json"]]) {
    const { stdout } = await runHere(args, "", { BASE_URL: baseUrl });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(document)));
  }
  const { stdout } = await runHere(["openapi"], "", { HOST: "::1", PORT: "80" });
  expect(JSON.parse(stdout).servers).toEqual([expect.objectContaining({ url: "http://[::1]:80" })]);
});

it("names are printed without control characters", async () => {
  const name = "Red \u001b[31m\nClinic";
  await cli.seed({ businesses: [{ slug: "tricky", name }] });
  const show = ["business", "show", "tricky"];
  expect((await cli.run(show)).stdout).toContain("Red \ufffd[31m\ufffdClinic");
  expect(await cli.json(show)).toMatchObject({ name });
});

it.each([
  ["key create --business sunrise --name Kiosk --scope queue:read", 90],
  ["account add --business sunrise --email anna@clinic.example", 1],
])("queue-api %s: what it makes is valid for %i days", async (line, days) => {
  const { expiresAt } = await cli.json<{ expiresAt: string }>(line.split(" "));
  expect((Date.parse(expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(days, 2);
});
