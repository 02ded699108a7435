import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { commandPath } from "../support/command.js";
import { completed, start } from "../support/run.js";
import { environment, expectFailure, newCli } from "./command.js";
import { sunrise } from "./fixtures.js";

const other = JSON.stringify({ businesses: [{ slug: "other", name: "Other" }] });

// The other tests run the commands in their own process. All commands of the owner use the same function to open and
// close the database, so these cover them all.
test.each<[0 | 1 | 2, string, RegExp]>([
  [0, "key create --business sunrise --name Kiosk --scope queue:read", /^svc_live_.*valid until/s],
  [0, "database copy $database $database.copy", /^KIND .*\n\nCopied and verified\.\n$/s],
  [2, "database copy $database memory:", /^memory: keeps no data/],
  [0, "seed -", /^Seeded other\.\n$/],
  [1, "business show nobody", /^no business has this slug/],
])("a separate process ends with exit %i: queue-api %s", async (code, line, message) => {
  const cli = await newCli();
  await cli.seed(sunrise);
  const run = await cli.process(line.replaceAll("$database", cli.database).split(" "), other);
  if (code !== 0) expectFailure(run, code, message);
  else expect(run).toEqual({ code, stdout: expect.stringMatching(message), stderr: "" });
});

test("a full disk behind the log costs lines of the log alone", async () => {
  const program = `
    import { createLogger } from "@queue-api/server";
    const logger = createLogger({ level: "info", pretty: false });
    for (let n = 0; n < 3; n++) logger.info("a line");
    setTimeout(() => console.log("still here"), 50);`;
  const command = `"${process.execPath}" --input-type=module --eval '${program}' 2> /dev/full`;
  expect((await completed("sh", ["-c", command])).stdout).toBe("still here\n");
});

test("a full disk behind the output is one line and exit 1", async () => {
  const command = `"${process.execPath}" "${commandPath}" openapi > /dev/full`;
  const failed = await start("sh", ["-c", command], { env: environment() }).ended;
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
