import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { serve } from "../cli/command.js";
import { temporaryFolder } from "../support/folder.js";
import { completed, lacks } from "../support/run.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = await readFile(join(root, "README.md"), "utf8");
const [, section = ""] = /^## Backup\n(.*?)^## /ms.exec(readme) ?? [];
const [backUp = "", restore = ""] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, block]) => block,
);

const noSqlite = lacks("sqlite3");

describe.skipIf(noSqlite)(`the backup that the README describes${noSqlite}`, () => {
  test("is taken while the service runs, and restored unchanged after a crash", async () => {
    const folder = temporaryFolder();
    const path = (name: string) => join(folder, name);
    const env = { DATABASE_URL: `file:${path(".data/queue-api.db")}` };
    const paste = (block: string) =>
      completed("sh", ["-c", `umask 022\n${block}`], { cwd: folder });
    const mode = async (name: string) => (await stat(path(name))).mode & 0o777;
    const query = async (name: string, sql: string) =>
      (await completed("sqlite3", [path(name), sql])).stdout.trim();
    const entries = "SELECT count(*) FROM entries";
    await mkdir(path(".data"));
    const server = await serve(["--demo=still"], env);
    await paste(backUp);
    await paste(backUp); // replaces the earlier backup
    expect(await mode("backup.db")).toBe(0o600);
    const backedUp = await query("backup.db", entries);
    const creation = server.printed.split("\n").find((line) => line.includes("-d "));
    await completed("sh", ["-c", creation ?? "false"]);
    server.child.kill("SIGKILL"); // so the new entry is only in the -wal file
    await server.ended;
    expect((await stat(path(".data/queue-api.db-wal"))).size).toBeGreaterThan(0);

    await paste(restore);
    await expect(stat(path(".data/queue-api.db-wal"))).rejects.toThrow("ENOENT");
    expect(await mode(".data/queue-api.db")).toBe(0o600);
    expect(await query(".data/queue-api.db", "PRAGMA integrity_check")).toBe("ok");
    expect(await query(".data/queue-api.db", entries)).toBe(backedUp);
    const again = await serve(["--demo=still"], env);
    expect(again.printed).toContain("svc_live_");
  });

  test("and the demo's key are ignored by git", async () => {
    const names = [
      "backup.db",
      "backup.db.new",
      ".data/queue-api.db",
      ".data/queue-api.db.demo-key",
    ];
    const { stdout } = await completed("git", ["check-ignore", ...names], { cwd: root });
    expect(stdout.trim().split("\n")).toEqual(names);
  });
});
