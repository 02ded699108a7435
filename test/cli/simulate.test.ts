import { once } from "node:events";
import { openStore, prepareDemo, systemClock, systemRandom } from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../support/run.js";
import { type Cli, newCli, serve, startCommand } from "./command.js";

let cli: Cli;

beforeEach(async () => {
  cli = await newCli();
});

const simulation = (args: readonly string[]) =>
  startCommand(["simulate", "--speed", "3600", "--seed", "7", ...args], {
    DATABASE_URL: cli.database,
  });

/** Runs `queue-api simulate` at high speed until it has printed 15 lines. Then stops it with a signal. */
async function simulate(args: readonly string[], signal: NodeJS.Signals) {
  const started = simulation(args);
  await until(started, /(.+\n){15}/);
  started.child.kill(signal);
  const { code, stdout, stderr } = await started.ended;
  return { code, stderr, printed: stdout.trimEnd().split("\n") };
}

const queues = () => cli.json<object[]>(["queue", "list", "--business", "demo"]);

describe("simulate", () => {
  beforeEach(async () => {
    const random = systemRandom;
    const store = await openStore(cli.database, { random });
    await prepareDemo(store, systemClock(), random);
    await store.close();
  });

  it("prints a line for each event, and a summary on SIGINT, with exit 0", async () => {
    const { code, printed, stderr } = await simulate([], "SIGINT");
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
    const { child, ended } = simulation([]);
    await once(child.stdout, "data");
    child.stdout.destroy(); // as head does
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("prints a JSON document per line with --json, the summary last", async () => {
    const { printed } = await simulate(["--json"], "SIGTERM");
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
    const before = await queues();
    const { child, ended } = simulation(["--quiet", "--json"]);
    await expect.poll(queues).not.toEqual(before);
    child.kill("SIGTERM");
    expect(JSON.parse((await ended).stdout)).toMatchObject({ event: "summary" });
  });
});

it("serve --demo simulates a clinic within seconds, with a quiet log, and ends cleanly", async () => {
  const server = await serve(["--demo"], { DATABASE_URL: cli.database, LOG_LEVEL: "info" });
  expect(server.printed).toContain("Simulated customers come and go");
  const before = await queues();
  await expect.poll(queues, { timeout: 30_000 }).not.toEqual(before);
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual({ code: 0, stdout: server.printed, stderr: "" });
});

it("serve --demo logs its events at debug, each at the time of the log", async () => {
  const server = await serve(["--demo"], { DATABASE_URL: cli.database, LOG_LEVEL: "debug" });
  await expect.poll(() => server.written.stderr, { timeout: 30_000 }).toMatch(/event".*\n/);
  const [line = ""] = server.written.stderr.split("\n");
  expect(JSON.parse(line)).toMatchObject({ time: expect.any(Number), event: { day: 1 } });
});
