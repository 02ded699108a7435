import { exec, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { SeededBusiness } from "@queue-api/server";
import { beforeEach, expect, test } from "vitest";
import { commandPath } from "../support/command.js";
import type { Ended } from "../support/run.js";
import { type Cli, environment, newCli } from "./command.js";
import { sunrise } from "./fixtures.js";

/** Two databases with the same clinic, so that a command can change it in each. */
let setups: { readonly cli: Cli; readonly clinic: SeededBusiness }[];

beforeEach(async () => {
  setups = await Promise.all(
    [1, 2].map(async () => {
      const cli = await newCli();
      const { businesses } = await cli.seed(sunrise);
      if (!businesses.sunrise) throw new Error("The seed printed no business.");
      return { cli, clinic: businesses.sunrise };
    }),
  );
});

function withoutRunDetails(run: Ended): Ended {
  const stdout = run.stdout
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3})?Z/g, "TIME")
    .replaceAll(/(svc_live_)?[a-zA-Z0-9_]{20,}/g, "ID");
  return { ...run, stdout };
}

// All commands of the owner use the same function to open and close the database, so these cover them all.
test.each([
  [0, "key create --business sunrise --name Kiosk --scope queue:read"],
  [0, "database copy $database $copy"],
  [2, "database copy $database memory:"],
  [0, "seed -"],
  [2, "key make"],
  [1, "business show nobody"],
])(
  "a separate process ends with exit %i, and prints the same as this one: %s",
  async (code, line) => {
    const input = JSON.stringify({ businesses: [{ slug: "other", name: "Other" }] });
    const runs = setups.map(({ cli, clinic }, at) => {
      const copy = `${cli.database}.copy`;
      const ids: Record<string, string> = { ...clinic.queues, database: cli.database, copy };
      const args = line
        .split(" ")
        .map((word) => word.replace(/\$(\w+)/, (_, name) => ids[name] ?? ""));
      return at === 0 ? cli.process(args, input) : cli.run(args, input);
    });
    const [process, here] = (await Promise.all(runs)).map(withoutRunDetails);
    expect(process).toMatchObject({ code });
    expect(process?.[code === 0 ? "stderr" : "stdout"]).toBe("");
    expect(process).toEqual(here);
  },
);

test("a full disk behind the log costs lines of the log alone", async () => {
  const program = `
    import { createLogger } from "@queue-api/server";
    const logger = createLogger({ level: "info", pretty: false });
    for (let n = 0; n < 3; n++) logger.info("a line");
    setTimeout(() => console.log("still here"), 50);`;
  const command = `"${process.execPath}" --input-type=module --eval '${program}' 2> /dev/full`;
  expect((await promisify(exec)(command)).stdout).toBe("still here\n");
});

test("a full disk behind the output is one line and exit 1", async () => {
  const command = `"${process.execPath}" "${commandPath}" openapi > /dev/full`;
  const failed = await promisify(exec)(command, { env: environment() }).catch(
    (error: unknown) => error,
  );
  const stderr = "queue-api: the output cannot be written (ENOSPC)\n";
  expect(failed).toMatchObject({ code: 1, stderr });
});

/** `script` of util-linux runs a program on a terminal. */
const hasTerminals = process.platform === "linux" && existsSync("/usr/bin/script");

test.runIf(hasTerminals)(
  "a seed shows its progress on a terminal until Ctrl+C stops it",
  async () => {
    const cli = await newCli();
    const entries = Array.from({ length: 9_000 }, () => ({}));
    const queues = ["A", "B", "C", "D"].map((name) => ({ name, entries }));
    const business = { slug: "long", name: "Long", queues };
    const file = await cli.file("long.json", JSON.stringify({ businesses: [business] }));
    const command = `exec "${process.execPath}" "${commandPath}" --database "${cli.database}" seed "${file}"`;
    const terminal = spawn("script", ["-qec", command, "/dev/null"], { env: environment() });
    let shown = "";
    terminal.stdout.setEncoding("utf8").on("data", (chunk) => {
      shown += chunk;
      if (/[1-9]\d* of 36000/.test(chunk) && !terminal.stdin.writableEnded)
        terminal.stdin.end("\u0003");
    });
    expect(await once(terminal, "close")).toEqual([1, null]);
    const lines = shown.replaceAll("^C", "").replaceAll("\r\u001b[K", "\n");
    expect(lines).toMatch(/^(\n\d+ of 36000)+\nqueue-api: stopped by a signal\r\n$/);
    expect(await cli.json(["business", "list"])).toEqual([]);
  },
);
