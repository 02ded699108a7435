import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { openStore, pooledRandom, prepareDemo, systemClock } from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandPath } from "../support/command.js";
import { type Cli, environment, newCli } from "./command.js";
import { endServers, serve } from "./serving.js";

let cli: Cli;
let running: ChildProcess[];

beforeEach(async () => {
  cli = await newCli();
  running = [];
});

afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await endServers();
});

/** Creates the demo in the database file. */
async function demo(): Promise<void> {
  const random = pooledRandom();
  const store = await openStore(cli.database, { random });
  await prepareDemo(store, systemClock(), random);
  await store.close();
}

function start(args: readonly string[]) {
  const all = [commandPath, "simulate", "--speed", "3600", "--seed", "7", ...args];
  const env = environment({ DATABASE_URL: cli.database });
  const child = spawn(process.execPath, all, { env, stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  return child;
}

/** Runs `queue-api simulate` at high speed until it has printed this many lines. Then stops it with a signal. */
async function simulate(
  args: readonly string[],
  lines: number,
  signal: NodeJS.Signals = "SIGTERM",
) {
  const child = start(args);
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

const queues = () => cli.json<object[]>(["queue", "list", "--business", "demo"]);

describe("simulate", () => {
  it("prints a line for each event, and a summary on SIGINT, with exit 0", async () => {
    await demo();
    const { code, printed, stderr } = await simulate([], 15, "SIGINT");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const summary = printed.findIndex((line) => /^Simulated .* with seed 7\.$/.test(line));
    expect(summary).toBeGreaterThanOrEqual(15);
    const events = printed.slice(0, summary);
    for (const line of events) {
      expect(line).toMatch(/^day 1 (09|1\d):\d\d {2}([AFLP]\d+|-) /);
      expect(line).not.toMatch(/\d{8}/);
    }
    expect(events.join("\n")).toMatch(
      /[AFL]\d+ +arrives at (Dr\. Asha Rao|Front desk|Laboratory); \d+ waiting/,
    );
    expect(printed[summary + 1]).toMatch(/^\d+ arrived, \d+ were called, /);
  });

  it("ends as on SIGTERM when its output is closed", async () => {
    await demo();
    const child = start([]);
    const stderr = text(child.stderr);
    const closed = once(child, "close");
    await once(child.stdout, "data");
    child.stdout.destroy(); // as head does
    const [code] = await closed;
    expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("prints a JSON document per line with --json, the summary last", async () => {
    await demo();
    const { printed } = await simulate(["--json"], 15);
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
      waiting: expect.any(Number),
    });
  });

  it("prints only the summary with --quiet", async () => {
    await demo();
    const before = await queues();
    const quiet = start(["--quiet", "--json"]);
    const printed = text(quiet.stdout);
    const closed = once(quiet, "close");
    await expect.poll(queues).not.toEqual(before);
    quiet.kill("SIGTERM");
    await closed;
    expect(JSON.parse(await printed)).toMatchObject({ event: "summary" });
  });
});

describe("serve --demo", () => {
  it("simulates a clinic within seconds, with a quiet log, and ends cleanly", async () => {
    const server = await serve(["--demo"], { DATABASE_URL: cli.database, LOG_LEVEL: "info" });
    expect(server.printed).toContain("Simulated customers come and go");
    const before = await queues();
    await expect.poll(queues, { timeout: 30_000 }).not.toEqual(before);
    server.signal("SIGTERM");
    expect(await server.ended).toEqual({ code: 0, stdout: server.printed, stderr: "" });
  });
});
