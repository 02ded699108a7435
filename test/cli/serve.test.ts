import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { commandPath } from "../support/command.js";
import { freePort } from "../support/project.js";
import { start, until } from "../support/run.js";
import { type Cli, environment, expectFailure, newCli, serve, startCommand } from "./command.js";

/** The arguments of `unshare` for a program that is process 1, as in a container, and ends with `unshare`. */
const inNamespace = ["--pid", "--fork", "--kill-child"];

/** Whether the system lets this user start one. */
const hasNamespaces = spawnSync("unshare", [...inNamespace, "true"]).status === 0;

let cli: Cli;
let env: { DATABASE_URL: string };

beforeEach(async () => {
  cli = await newCli();
  env = { DATABASE_URL: cli.database };
});

describe("serve", () => {
  it("prints one line when it is ready to serve requests, or one document with --json", async () => {
    const server = await serve([], env);
    expect(server.printed).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(await fetch(`${server.url}/v1`)).toMatchObject({ status: 200 });
    const other = await serve(["--json"], env);
    expect(JSON.parse(other.printed)).toEqual({ url: other.url });
  });

  it("warns once of a database file that other users can read, and not of its own", async () => {
    const file = cli.database.slice("file:".length);
    for (const [mode, times] of [
      [0o600, 0],
      [0o644, 1],
    ] as const) {
      await writeFile(file, "", { flag: "a" });
      await chmod(file, mode);
      const server = await serve([], { ...env, LOG_LEVEL: "warn" });
      server.child.kill("SIGTERM");
      const { stderr } = await server.ended;
      expect(stderr.match(/has the mode 0644.*chmod 600/g) ?? []).toHaveLength(times);
    }
  });

  it("prefers its options to the environment", async () => {
    const settings = { HOST: "203.0.113.7", PORT: "1", DATABASE_URL: "nowhere:" };
    const server = await serve(["--host", "127.0.0.1", "--database", cli.database], settings);
    expect(await fetch(`${server.url}/v1`)).toMatchObject({ status: 200 });
  });

  it("ends with 0 on a signal as soon as it responds, also before the demo is ready", async () => {
    const port = String(await freePort());
    const { child, ended } = startCommand(["serve", "--demo=still", "--port", port], env);
    const probe = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(probe).toBe(true);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
  });

  it("ends with 0 on a signal while it waits for the database", async () => {
    const { child, written, ended } = startCommand(["serve"], {
      DATABASE_URL: "mongodb://127.0.0.1:9/queue?serverSelectionTimeoutMS=100",
    });
    await expect.poll(() => written.stderr).toContain("waiting for the database");
    child.kill("SIGTERM");
    await ended;
    expect([child.exitCode, child.signalCode]).toEqual([0, null]);
  });

  it.runIf(hasNamespaces)("ends with 0 on a signal as process 1, as in a container", async () => {
    const args = [...inNamespace, process.execPath, commandPath, "serve"];
    const started = start("unshare", args, { env: environment({ ...env, PORT: "0" }) });
    onTestFinished(() => {
      started.child.kill("SIGKILL");
    });
    await until(started, /listening/);
    const { pid } = started.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    process.kill(Number(children), "SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("names METRICS_PORT when it is the port of the service", async () => {
    const port = String(await freePort());
    const settings = { ...env, METRICS_PORT: port, LOG_LEVEL: "error" };
    const { ended } = startCommand(["serve", "--port", port], settings);
    expectFailure(await ended, 1, /^METRICS_PORT and the port of the service are the same/);
  });

  it("explains what to do when the port is in use", async () => {
    const { port } = new URL((await serve([], env)).url);
    const second = startCommand(["serve", "--port", port], { DATABASE_URL: "memory:" });
    expectFailure(await second.ended, 1, /^the port is taken; choose another with --port/);
  });
});
