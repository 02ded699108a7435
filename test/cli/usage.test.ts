import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryDatabase } from "../support/database.js";
import { temporaryFolder } from "../support/folder.js";
import { expectFailure, newCli, runHere } from "./command.js";

/** Each command, with arguments for a database that is not there; null: it creates one, or names two, or none. */
const usages: Readonly<Record<string, string | null>> = {
  serve: null,
  simulate: "",
  seed: null,
  "business list": "",
  "business show": "sunrise",
  "business set": "sunrise --access off",
  "key create": "--business sunrise --name Kiosk --scope queue:read",
  "key list": "--business sunrise",
  "key set": "ID --name Kiosk",
  "key revoke": "ID",
  "account add": "--business sunrise --email anna@clinic.example",
  "account list": "--business sunrise",
  "account link": "anna@clinic.example",
  "account remove": "anna@clinic.example",
  "queue list": "--business sunrise",
  "queue pause": "ID",
  "queue resume": "ID",
  "queue open": "ID",
  "queue close": "ID",
  "entry next": "ID",
  "entry call": "ID",
  "entry complete": "ID",
  "entry no-show": "ID",
  "entry requeue": "ID",
  "entry undo": "ID",
  "appointment set": "ID --status COMPLETED",
  audit: "--business sunrise",
  "database prepare": null,
  "database copy": null,
  openapi: null,
};
const commands = Object.keys(usages);

describe("help", () => {
  it.each(commands)(
    "of %s shows its usage, both common options and an example",
    async (command) => {
      const { code, stdout, stderr } = await runHere([...command.split(" "), "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: queue-api ${command}`);
      expect(stdout).toContain("--database <url>");
      expect(stdout).toContain("--json");
      expect(stdout).toContain(`Examples:\n  $ queue-api ${command}`);
      expect(stdout).toContain("With --json:");
    },
  );

  it.each(["help key create", "key help create", "help key", "help"])(
    "is asked for in words too: %s",
    async (line) => {
      const words = line.split(" ");
      const named = words.filter((word) => word !== "help");
      expect(await runHere(words)).toEqual(await runHere([...named, "--help"]));
    },
  );

  it.each([
    ["", "one document, or for simulate one on each line"],
    ["seed", "docs/seed.md, or /docs/seed of a running"],
    ["queue list", "slug of the business (required)"],
    ["account add", "the link uses BASE_URL, or HOST and PORT"],
    ["account link", "the link uses BASE_URL, or HOST and PORT"],
  ])("of %j says: %s", async (command, text) => {
    const { stdout } = await runHere([...command.split(" ").filter(Boolean), "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(text);
  });

  it.each(["business", "key", "account", "queue", "entry", "appointment", "database"])(
    "of %s names its commands",
    async (noun) => {
      const { code, stdout } = await runHere([noun, "--help"]);
      expect(code).toBe(0);
      for (const command of commands.filter((command) => command.startsWith(`${noun} `))) {
        expect(stdout).toMatch(new RegExp(`^ {2}${command.split(" ")[1]} `, "m"));
      }
    },
  );
});

it("version is the version of the package", async () => {
  const manifest = new URL("../../server/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  expect(await runHere(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

describe("wrong usage", () => {
  it.each([
    ["", "a command is missing; see: queue-api --help"],
    ["key", "a command is missing; see: queue-api key --help"],
    ["keys", /unknown command 'keys' \(Did you mean key\?\); see: queue-api --help/],
    ["help nope", "unknown command 'nope'; see: queue-api --help"],
    ["help key nope", "unknown command 'nope'; see: queue-api key --help"],
    ["key help nope", "unknown command 'nope'; see: queue-api key --help"],
    ["key make", /unknown command 'make'.*; see: queue-api key --help/],
    ["queue list", /'--business <slug>' not specified; see: queue-api queue list --help/],
    ["queue list --business sunrise --shop x", /unknown option '--shop'/],
    ["queue pause", /missing required argument 'queue-id'/],
    ["queue pause a b", /too many arguments/],
    ["business list --database", /'--database <url>' argument missing/],
    [
      "business set sunrise",
      "name at least one of --access on|off, --daily-limit N|none and --sandbox on|off",
    ],
    ["business set sunrise --access yes", "--access must be one of on, off"],
    ["business set sunrise --daily-limit -1", /--daily-limit/],
    ["business set sunrise --daily-limit many", /^--daily-limit must be a whole number/],
    ["appointment set ID --status CANCELED", /--status must be one of CONFIRMED, .*, CANCELLED$/],
    ["audit --business sunrise --limit 0", "--limit must be a whole number from 1 to 100000"],
    ["database copy file:./a.db file:b/../a.db", /^<from> and <to> name the same database/],
    ["key list --business sunrise --database memory:", /^memory: keeps no data: name a file/],
    ["simulate --database memory:", /^memory: keeps no data: name a file/],
    ["database copy memory: file:./a.db", /^memory: keeps no data: name a file/],
    ["serve --port 65536", "--port must be a whole number from 0 to 65535"],
    ["serve --host=", "--host must not be empty"],
    ["serve --port http", "--port must be a whole number from 0 to 65535"],
    ["serve --demo=fast", "--demo must be one of still"],
    ["simulate --speed 0", /^--speed must be a whole number/],
    ["simulate --seed x", /^--seed must be a whole number/],
  ])("is one line and exit 2: queue-api %s", async (line, message) => {
    const args = line.split(" ").filter(Boolean);
    const run = await runHere(args, "{}", { DATABASE_URL: await temporaryDatabase() });
    expectFailure(run, 2, message);
  });

  it("never prints a key that was given in the wrong place", async () => {
    const key = `svc_live_${"a".repeat(24)}_${"b".repeat(43)}`;
    for (const args of [
      [key],
      ["key", "list", "--business", "x", key],
      ["key", "list", `--${key}`],
    ]) {
      const { stderr } = await runHere(args);
      expect(stderr).not.toMatch(/aaaa|bbbb/);
    }
  });
});

it.each(["postgres://localhost/queue", "file:", "file:file:queue.db", "file:/dev/null/queue.db"])(
  "a database that cannot be opened is one line and exit 1: %s",
  async (url) => {
    expectFailure(await runHere(["business", "list", "--database", url]), 1, /./);
  },
);

describe("a missing database", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });

  const none = /^There is no database at \S+typo\.db\. .+ queue-api database prepare\.$/;

  const needing = Object.entries(usages).filter(([, args]) => args !== null);
  it.each(needing)(
    "is reported with exit 1, and is not created: queue-api %s %s",
    async (command, args) => {
      const line = `${command} ${args}`.trim().split(" ");
      for (const path of [join(folder, "typo.db"), join(folder, "typed", "wrong", "typo.db")]) {
        expectFailure(await runHere([...line, "--database", `file:${path}`]), 1, none);
      }
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("is not copied, and the target is not created", async () => {
    const [from, to] = ["typo.db", "out.db"].map((name) => `file:${join(folder, name)}`);
    expectFailure(await runHere(["database", "copy", from ?? "", to ?? ""]), 1, none);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["database prepare", ""],
    ["seed -", '{ "businesses": [] }'],
  ])("is created by the commands that prepare one: queue-api %s", async (line, input) => {
    const env = { DATABASE_URL: `file:${join(folder, "new", "queue.db")}` };
    expect(await runHere(line.split(" "), input, env)).toMatchObject({ code: 0, stderr: "" });
    expect(await runHere(["business", "list"], "", env)).toMatchObject({
      code: 0,
      stdout: "No businesses yet.\n",
    });
  });
});

describe("an invalid setting", () => {
  it("is reported by its name, with exit 1", async () => {
    const run = await runHere(["serve"], "", { PORT: "a lot", DATABASE_URL: "memory:" });
    expectFailure(run, 1, /^PORT must be a whole number/);
  });

  it("of the address in a link is reported before anything changes", async () => {
    const cli = await newCli();
    await cli.seed({ businesses: [{ slug: "sunrise", name: "Sunrise Clinic" }] });
    const wrong = { DATABASE_URL: cli.database, BASE_URL: "queue.example" };
    const add = ["account", "add", "--business", "sunrise", "--email", "anna@clinic.example"];
    expectFailure(await runHere(add, "", wrong), 1, /^BASE_URL must be/);
    expect(await cli.json(["account", "list", "--business", "sunrise"])).toEqual([]);
  });
});
