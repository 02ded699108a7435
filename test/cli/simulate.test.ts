import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import {
  openStore,
  pooledRandom,
  prepareDemo,
  readConfig,
  startServer,
  systemClock,
} from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandPath } from "../support/command.js";
import { type Cli, environment, failure, newCli, runCommand, runHere } from "./command.js";
import { sunrise } from "./fixtures.js";
import { endServers, serve } from "./serving.js";

let cli: Cli;
let running: ChildProcess[];
const services = new Set<() => Promise<void>>();

beforeEach(async () => {
  cli = await newCli();
  running = [];
});

afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await endServers();
  for (const end of services) await end();
  await cli.remove();
});

/** A service with the demo, without a simulation. It is in this process, which is quicker than a start of `serve`. */
async function demo() {
  const random = pooledRandom();
  const store = await openStore(cli.database, { random });
  const server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
  await prepareDemo(store, systemClock(), random);
  const end = async () => {
    services.delete(end);
    await server.close();
    await store.close();
  };
  services.add(end);
  return { url: server.url, end };
}

/** Runs `queue-api simulate` at high speed until it has printed this many lines. Then stops it with a signal. */
async function simulate(
  args: readonly string[],
  lines: number,
  { signal = "SIGTERM", env = {} }: { signal?: "SIGTERM" | "SIGINT"; env?: object } = {},
) {
  const child = spawn(
    process.execPath,
    [commandPath, "simulate", "--speed", "3600", "--seed", "7", ...args],
    {
      env: environment({ DATABASE_URL: cli.database, ...env }),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  running.push(child);
  const stderr = text(child.stderr);
  const printed: string[] = [];
  const output = createInterface(child.stdout);
  output.on("line", (line) => {
    printed.push(line);
    if (printed.length === lines) child.kill(signal);
  });
  const [[code]] = await Promise.all([once(child, "close"), once(output, "close")]);
  return { code, printed, stderr: await stderr };
}

const keys = async () =>
  (
    await cli.json<{ purpose: string; status: string }[]>(["key", "list", "--business", "demo"])
  ).filter(({ purpose }) => purpose === "simulation");

interface Queue {
  readonly name: string;
  readonly counts: { readonly waiting: number; readonly completed: number };
}

const queues = () => cli.json<Queue[]>(["queue", "list", "--business", "demo"]);

/** Polls until the demo has changed. */
async function untilChanged(before: readonly Queue[]): Promise<void> {
  await expect.poll(queues).not.toEqual(before);
}

describe("simulate", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "prints a line for each event, and a summary on %s, with exit 0",
    async (signal) => {
      const { url } = await demo();
      const { code, printed, stderr } = await simulate(["--url", url], 15, { signal });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const summary = printed.findIndex((line) => /^Simulated .* with seed 7\.$/.test(line));
      expect(summary).toBeGreaterThanOrEqual(15);
      for (const line of printed.slice(0, summary)) {
        expect(line).toMatch(/^day 1 09:\d\d {2}([AFLP]\d+|-) /);
        expect(line).not.toMatch(/\d{8}|svc_live/);
      }
      expect(printed.slice(0, summary).join("\n")).toMatch(
        /[AFL]\d+ +\S+ \S+ arrives at (Dr\. Asha Rao|Front desk|Laboratory); \d+ waiting/,
      );
      expect(printed[summary + 1]).toMatch(/^\d+ arrived, \d+ were called, /);
      expect(await keys()).toMatchObject([{ status: "revoked" }]);
    },
  );

  it("ends as on SIGTERM when its output is closed", async () => {
    const { url } = await demo();
    const child = spawn(
      process.execPath,
      [commandPath, "simulate", "--speed", "3600", "--url", url],
      {
        env: environment({ DATABASE_URL: cli.database }),
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    running.push(child);
    const stderr = text(child.stderr);
    const closed = once(child, "close");
    await once(child.stdout, "data");
    child.stdout.destroy(); // as head does
    const [code] = await closed;
    expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: "" });
    expect(await keys()).toMatchObject([{ status: "revoked" }]);
  });

  it("prints a JSON document per line with --json, the summary last", async () => {
    const { url } = await demo();
    const { printed } = await simulate(["--url", url, "--json"], 15);
    const events = printed.map((line) => JSON.parse(line));
    const summary = events.pop();
    expect(summary).toMatchObject({ event: "summary", seed: 7 });
    const count = (name: string) => events.filter(({ event }) => event === name).length;
    expect(summary).toMatchObject({ arrived: count("arrived"), called: count("called") });
    expect(events.find(({ event }) => event === "arrived")).toEqual({
      day: 1,
      time: expect.stringMatching(/^\d\d:\d\d$/),
      event: "arrived",
      queue: expect.any(String),
      entryId: expect.stringMatching(/^\w{20,32}$/),
      token: expect.stringMatching(/^[AFL]\d+$/),
      name: expect.any(String),
      waiting: expect.any(Number),
    });
  });

  it("prints the same story for the same seed", async () => {
    const story = async () => {
      const { url, end } = await demo();
      const { printed } = await simulate(["--url", url, "--json"], 20);
      await end();
      await cli.remove();
      cli = await newCli();
      return printed.slice(0, 20).map((line) => {
        const { entryId: _, appointmentId: __, ...event } = JSON.parse(line);
        return event;
      });
    };
    expect(await story()).toEqual(await story());
  });

  it("finds the service by the settings of serve, and prints only the summary with --quiet", async () => {
    const { url } = await demo();
    const env = { PORT: new URL(url).port };
    const before = await queues();
    const quiet = spawn(
      process.execPath,
      [commandPath, "simulate", "--quiet", "--json", "--speed", "3600"],
      { env: environment({ DATABASE_URL: cli.database, ...env }) },
    );
    running.push(quiet);
    const printed = text(quiet.stdout);
    const closed = once(quiet, "close");
    await untilChanged(before);
    quiet.kill("SIGTERM");
    await closed;
    expect(JSON.parse(await printed)).toMatchObject({ event: "summary" });
  });

  it("explains what to do without a service, with an unknown business, without a sandbox, and on wrong usage", async () => {
    await demo();
    const env = { DATABASE_URL: cli.database };
    const run = (...args: string[]) => runCommand(["simulate", ...args], "", env);
    const simulateWith = (...args: string[]) => runHere(["simulate", ...args], "", env);
    const nowhere = await run("--url", "http://127.0.0.1:1");
    expect(nowhere).toEqual(failure(1, /^nothing answers at \S+; start the service with/));
    expect(await run("--business", "nobody")).toEqual(failure(1, /^no business has this slug/));
    await cli.seed(sunrise);
    expect(await run("--business", "sunrise")).toEqual(
      failure(1, /not a sandbox.*queue-api business set sunrise --sandbox on$/),
    );
    expect(await simulateWith("--speed", "0")).toEqual(
      failure(2, /^--speed must be a whole number/),
    );
    expect(await simulateWith("--seed", "x")).toEqual(failure(2, /^--seed must be a whole number/));
    for (const url of ["queue.example", "ftp://queue.example", "http://me:secret@queue.example"]) {
      expect(await simulateWith("--url", url)).toEqual(
        failure(2, /^--url must be an address like/),
      );
    }
  });
});

describe("serve --demo", () => {
  it("simulates a clinic within seconds, with a quiet log, and ends cleanly", async () => {
    const server = await serve(["--demo"], { DATABASE_URL: cli.database, LOG_LEVEL: "info" });
    expect(server.printed).toContain("Simulated customers come and go");
    await untilChanged(await queues());
    expect(await keys()).toMatchObject([{ status: "active" }]);
    server.signal("SIGTERM");
    expect(await server.ended).toEqual({ code: 0, stdout: server.printed, stderr: "" });
    expect(await keys()).toMatchObject([{ status: "revoked" }]);
  });

  it("does not change the clinic with --demo=still", async () => {
    const server = await serve(["--demo=still"], { DATABASE_URL: cli.database });
    expect(server.printed).not.toContain("at work");
    expect(await keys()).toEqual([]);
  });

  it("refuses any other value", async () => {
    const run = await runCommand(["serve", "--demo=fast"], "", { DATABASE_URL: "memory:" });
    expect(run).toEqual(failure(2, /^--demo must be one of still$/));
  });
});
