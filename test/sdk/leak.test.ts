import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { anEntry, anError } from "./support/examples.js";
import { type Behaviour, FaultServer, httpAnswer } from "./support/fault-server.js";

const run = promisify(execFile);
const script = fileURLToPath(new URL("support/leak-run.js", import.meta.url));

const answers = {
  entry: { data: anEntry() },
  list: { data: [anEntry()], nextCursor: null },
  refusal: anError("not_found"),
};
const entry = httpAnswer(200, JSON.stringify(answers.entry));
const list = httpAnswer(200, JSON.stringify(answers.list));
const refusal = httpAnswer(404, JSON.stringify(answers.refusal));

/** The server's behaviour, in turn. */
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

test("11,000 calls with faults and aborts leave no timer, no open handle and a flat heap", async () => {
  let turn = 0;
  const server = await FaultServer.start((connection, request) => {
    turn += 1;
    server.requests.length = 0;
    const behaviour = turn % 80 === 0 ? hang : behaviours[turn % behaviours.length];
    behaviour?.(connection, request);
  });
  const args = ["--expose-gc", script, server.url, JSON.stringify(answers)];
  // The program must end by itself. An open handle would make this time out.
  const { stdout } = await run(process.execPath, args, { timeout: 240_000 });
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
    for (const counted of endings) expect(counted[ending], ending).toBeGreaterThan(5);
  }
});

const hang: Behaviour = (connection) => connection.hang();
