import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { anEntry, anError } from "./support/examples.js";
import { type Behaviour, FaultServer, httpAnswer } from "./support/fault-server.js";

const run = promisify(execFile);
const script = fileURLToPath(new URL("support/leak-run.js", import.meta.url));

const entry = httpAnswer(200, JSON.stringify({ data: anEntry() }));
const list = httpAnswer(200, JSON.stringify({ data: [anEntry()], nextCursor: null }));
const refusal = httpAnswer(404, JSON.stringify(anError("not_found")));

/** What the server does, in turn. */
const behaviours: readonly Behaviour[] = [
  (connection, { path }) => connection.write(path.includes("queues") ? list : entry),
  (connection) => connection.write(refusal),
  (connection) => connection.reset(),
  (connection, { path }) => connection.write(path.includes("queues") ? list : entry),
  (connection) => connection.write(entry.slice(0, -9)).close(),
  (connection) => connection.write(httpAnswer(200, "<html>", { "Content-Type": "text/html" })),
  (connection) => connection.write(httpAnswer(302, "", { Location: "/" })),
  (connection) => connection.close(),
];

test("10,000 calls with faults and aborts leave no timer, no open handle and a flat heap", async () => {
  let turn = 0;
  const server = await FaultServer.start((connection, request) => {
    turn += 1;
    server.requests.length = 0;
    const behaviour = turn % 400 === 0 ? hang : behaviours[turn % behaviours.length];
    behaviour?.(connection, request);
  });
  // The program ends by itself: whatever kept it alive would let this time out.
  const { stdout } = await run(process.execPath, ["--expose-gc", script, server.url], {
    timeout: 110_000,
  });
  const { heap, timers, endings } = JSON.parse(stdout);
  expect(timers).toBe(0);
  const [, afterWarmUp, ...later] = heap as number[];
  expect(Math.max(...later)).toBeLessThan((afterWarmUp ?? 0) * 1.1);
  for (const ending of [
    "success",
    "AbortError",
    "ConnectionError",
    "NotFoundError",
    "TimeoutError",
    "UnexpectedResponseError",
  ]) {
    expect(endings[ending]).toBeGreaterThan(10);
  }
}, 120_000);

const hang: Behaviour = (connection) => connection.hang();
