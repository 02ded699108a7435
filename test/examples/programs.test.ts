import { readdir, readFile } from "node:fs/promises";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { callNext } from "@queue-api/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { listen } from "../support/listen.js";
import { lacks } from "../support/run.js";
import { type Environment, inExamples, run, startClinic, startProgram } from "./example.js";
import { type Fault, startGateway } from "./gateway.js";

const queues = (waiting: number) => [
  { ref: "paused", name: "Laboratory", tokenSeries: "L", isTokenCreationPaused: true },
  {
    ref: "front",
    name: "Front desk",
    entries: Array.from({ length: waiting }, (_, at) => ({
      name: `Customer ${at + 1}`,
      phone: "919800000001",
    })),
  },
];

const noJq = lacks("jq", "curl");
const noPython = lacks("python3");
const curlFlow = (env: Environment) => run(inExamples("rest-with-curl/flow.sh"), [], env);
const pythonFlow = (env: Environment) =>
  run("python3", [inExamples("rest-with-python/flow.py")], env);

describe("the programs without an SDK", () => {
  it.skipIf(noJq)(`rest-with-curl runs the whole flow${noJq}`, async () => {
    const { url, env } = await startClinic({ queues: queues(6) });
    const { code, stdout, stderr } = await curlFlow(env);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error: 5")]);
    expect(stdout.replaceAll("\r", "")).toBe(`== Who am I
Sunrise Clinic, with the key Example: queue:read queue:write appointments:read
== A queue that takes tokens
Front desk: 6 waiting
== A token
A7, number 7 in line
== The same request again: the same token, marked as a replay
Idempotent-Replay: true
== The same key for somebody else: refused
idempotency_key_reuse, see ${url}/docs/errors#idempotency_key_reuse
== Everybody in line, page by page
A1 A2 A3
A4 A5 A6
A7
== Canceled
A7 is CANCELED
`);
  });

  it.skipIf(noPython)(`rest-with-python runs the whole flow${noPython}`, async () => {
    const { env } = await startClinic({ queues: queues(6) });
    const { code, stdout, stderr } = await pythonFlow(env);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Sunrise Clinic, with the key Example
A7, number 7 in line of Front desk
asked again: the same token
invalid_request: name, phone
waiting: A1 A2 A3 A4 A5 A6 A7
A7 is CANCELED
`);
  });
});

/** What a client retries, three for each run of a program. */
const passing: [string, readonly Fault[]][] = [
  [
    "responses of a gateway, and a lost response",
    [
      { status: 503, headers: { "Retry-After": "1" }, body: '{"message":"down"}' },
      { isProcessed: true, status: 502, body: "<h1>Bad gateway</h1>" },
      { isProcessed: true },
    ],
  ],
  [
    "refusals that pass",
    [
      { status: 409, headers: { "Retry-After": "0" }, body: refusal("request_in_progress") },
      { status: 429, headers: { "Retry-After": "1" }, body: refusal("rate_limited") },
      { status: 429, body: "<h1>Slow down</h1>" },
    ],
  ],
  [
    "responses that are not whole JSON",
    [
      { isProcessed: true, status: 201, headers: { "Content-Length": 99 }, body: '{"data":' },
      { isProcessed: true, status: 500, headers: { "Content-Length": 99 }, body: '{"error":' },
      { status: 200, body: Buffer.from([0x22, 0xff, 0x22]) },
    ],
  ],
  [
    "responses that are JSON of nobody",
    [
      { isProcessed: true, status: 200, body: "[1]" },
      { status: 500, body: '{"data":{"id":"x"}}' },
      { status: 503, headers: { "Retry-After": "Mon, 01 Jan 99999 00:00:00 GMT" }, body: "down" },
    ],
  ],
];

function refusal(code: string): string {
  return JSON.stringify({ error: { code, message: "Later.", requestId: "r-1", docUrl: "d" } });
}

describe.for<[string, string, typeof curlFlow]>([
  ["rest-with-curl", noJq, curlFlow],
  ["rest-with-python", noPython, pythonFlow],
])("%s%s", ([, lack, program]) => {
  it.skipIf(lack)("prints the error of the response, and never the key", async () => {
    const { env } = await startClinic({});
    const key = `svc_live_${"x".repeat(24)}_${"y".repeat(43)}`;
    const { code, stdout, stderr } = await program({ ...env, QUEUE_API_KEY: key });
    expect([code, stdout]).toEqual([1, expect.not.stringContaining(key)]);
    expect(stderr).toContain("401 unauthorized");
    expect(stderr).not.toContain(key);
  });

  /** Runs the flow. The faults meet the requests whose path has this ending. */
  const flow = async (ending: string, faults: readonly Fault[]) => {
    const { url, env, tokens } = await startClinic({ queues: queues(0) });
    const gateway = await startGateway(url, ending, faults);
    const ended = await program({ ...env, QUEUE_API_BASE_URL: gateway.url });
    return { ...ended, arrived: gateway.arrived(), tokens: await tokens("front") };
  };

  it.skipIf(lack).for(passing)("takes one token after %s", async ([, faults]) => {
    const { code, stdout, stderr, tokens } = await flow("/entries", faults);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("A1, number 1 in line");
    expect(stdout).toMatch(/A1 is CANCELED\n$/);
    expect(tokens).toEqual(["A1"]);
  });

  it.skipIf(lack)("reads the entry when the response of its cancellation is lost", async () => {
    const { code, stdout, stderr } = await flow("/cancel", [{ isProcessed: true }]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/A1 is CANCELED\n$/);
  });

  const down = { status: 503, body: refusal("unavailable") };
  const later = (retryAfter: string) => ({ status: 503, headers: { "Retry-After": retryAfter } });
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();

  it.skipIf(lack).for<[string, readonly Fault[], attempts: number, printed: string]>([
    ["four attempts", Array(5).fill(down), 4, "503 unavailable"],
    ["a wait of more than a minute", [later("61")], 1, "503"],
    ["a wait until a date in an hour", [later(inAnHour)], 1, "503"],
    [
      "a refusal that does not pass",
      [{ status: 429, body: refusal("too_many_failed_attempts") }],
      1,
      "too_many_failed_attempts",
    ],
    ...[301, 308].map((status): [string, Fault[], number, string] => {
      const headers = { Location: "/elsewhere/me" }; // would arrive at the gateway too
      return [`a redirect with ${status}`, [{ status, headers }], 1, String(status)];
    }),
  ])("gives up after %s", async ([, faults, attempts, printed]) => {
    const { code, stderr, arrived } = await flow("/me", faults);
    expect(code).not.toBe(0);
    expect(arrived).toBe(attempts);
    expect(stderr).toContain(printed);
  });
});

/** Runs a program that uses the client of rest-with-python. */
const usingClient = (program: string, url: string) =>
  run("python3", ["-c", program], {
    QUEUE_API_BASE_URL: url,
    PYTHONPATH: inExamples("rest-with-python"),
  });

it.skipIf(noPython)("rest-with-python gives up after a minute in all", async () => {
  const fault = { status: 503, headers: { "Retry-After": "25" }, body: refusal("unavailable") };
  const gateway = await startGateway("", "/me", [fault, fault, fault]);
  const program = `
import os, queue_api
now = 0
def sleep(seconds):
    global now
    now += seconds
try:
    queue_api.QueueApi(os.environ["QUEUE_API_BASE_URL"], "key", sleep, lambda: now).me()
except queue_api.ApiError as error:
    print(error.status, now)
`;
  const { stdout, stderr } = await usingClient(program, gateway.url);
  expect([stdout, stderr]).toEqual(["503 50\n", ""]);
  expect(gateway.arrived()).toBe(3);
});

it.skipIf(noPython).for([
  ["head", "HTTP/1.1 200 OK\r\nX-Slow: ", 4], // urllib does not let go of a connection within the head
  ["body", "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", 0],
  ["body of a refusal", "HTTP/1.1 503 Unavailable\r\nContent-Length: 99999\r\n\r\n", 0],
] as const)("rest-with-python ends an attempt whose %s never ends", async ([, beginning, left]) => {
  const arrived = vi.fn();
  const slow = createTcpServer((socket) => {
    arrived();
    socket.write(beginning);
    const drip = setInterval(() => socket.write("x"), 50);
    socket
      .on("error", () => undefined)
      .on("close", () => clearInterval(drip))
      .resume();
  });
  onTestFinished(() => void slow.close());
  const program = `
import os, queue_api, threading, time
queue_api.TIMEOUT_SECONDS = 0.3
try:
    queue_api.QueueApi(os.environ["QUEUE_API_BASE_URL"], "key", sleep=lambda _: None).me()
except TimeoutError as error:
    print(error)
time.sleep(0.5)
print(threading.active_count() - 1)
`;
  const { stdout, stderr } = await usingClient(program, await listen(slow));
  expect([stdout, stderr]).toEqual([`no whole response in time\n${left}\n`, ""]);
  expect(arrived).toHaveBeenCalledTimes(4);
});

describe("without a key", () => {
  const stderr = "Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.\n";
  const node = process.execPath;

  it.for<[string, string?]>([
    ["bot/bot.js", node],
    ["express-integration/server.js", node],
    ["kiosk/server.js", node],
    ["mcp-server/server.js", node],
    ["nightly-report/report.js", node],
    ["waiting-room-screen/screen.js", node],
    ["rest-with-curl/flow.sh"],
    ["rest-with-python/flow.py", "python3"],
  ])("%s explains how to get one", async ([file, interpreter], { skip }) => {
    skip(interpreter === "python3" && noPython !== "", noPython);
    const [command = "", ...args] = [...(interpreter ? [interpreter] : []), inExamples(file)];
    for (const env of [{}, { QUEUE_API_KEY: "" }]) {
      expect(await run(command, args, env)).toEqual({ code: 1, stdout: "", stderr });
    }
  });
});

describe("nightly-report", () => {
  const report = (file: string, env: Environment) =>
    run(process.execPath, [inExamples("nightly-report/report.js"), file], env);
  const names = ['Customer "1"', "Customer, 2", "=SUM(A1:A9)", "Ключ"];
  const yesterday = (name: string) => ({ name, phone: "919800000001", date: "today-1" });

  it("writes yesterday's entries and appointments of all queues, page by page", async () => {
    const { env } = await startClinic({
      services: [{ ref: "consult", name: "Consultation", baseTimeMinutes: 15 }],
      queues: [
        {
          ref: "front",
          name: "Front desk",
          entries: [
            ...names.map(yesterday),
            ...Array.from({ length: 230 }, (_, at) => yesterday(`Customer ${at}`)),
            { name: "Not yet", date: "today" },
          ],
        },
        {
          ref: "lab",
          name: "Laboratory",
          tokenSeries: "L",
          entries: [
            { ...yesterday("Customer 9"), service: "consult", status: "COMPLETED", minutesAgo: 90 },
          ],
        },
      ],
      appointments: [
        {
          date: "today-1",
          slotTime: "10:30",
          status: "CANCELLED",
          customer: { name: "Customer 5", phone: null },
        },
        { date: "today", slotTime: "11:00" },
      ],
    });
    const folder = temporaryFolder();
    const file = join(folder, "report.csv");
    const { code, stdout, stderr } = await report(file, env);
    expect([code, stdout]).toEqual([0, ""]);
    expect(await readdir(folder)).toEqual(["report.csv"]);

    const lines = (await readFile(file, "utf8")).split("\r\n");
    expect(lines).toHaveLength(1 + 234 + 1 + 1 + 1);
    expect(lines[0]).toBe(
      "kind,queue,token,date,time,status,service,customer,phone,issued,started,ended",
    );
    expect(lines.slice(1, 5).map((line) => line.split(",WAITING,,")[1]?.split(",9198")[0])).toEqual(
      ['"Customer ""1"""', '"Customer, 2"', "'=SUM(A1:A9)", "Ключ"],
    );
    expect(lines.at(-3)).toMatch(
      /^entry,Laboratory,L1,\d{4}-\d\d-\d\d,,COMPLETED,Consultation,Customer 9,919800000001,\S+Z,\S+Z,\S+Z$/,
    );
    expect(lines.at(-2)).toMatch(/^appointment,,,\d{4}-\d\d-\d\d,10:30,CANCELLED,,Customer 5,,,,$/);
    expect(stderr).toMatch(
      /Front desk: 100 rows so far\nFront desk: 200 rows so far\nFront desk: 234 rows/,
    );
    expect(stderr).toMatch(/Sunrise Clinic, \d{4}-\d\d-\d\d: 236 rows\n$/);
  });

  it.each([
    ["=1+1", "'=1+1"],
    [" =1+1", "' =1+1"],
    ["\u200b@SUM(A1)", "'\u200b@SUM(A1)"],
    ["＝1+1", "'＝1+1"],
    ["x;=1+1", `"x;'=1+1"`],
    ["x; +1", `"x;' +1"`],
    ["y\t=1+1", `"y\t'=1+1"`],
    ["z\n-1", `"z\n'-1"`],
    ["z|=1", `"z|'=1"`],
    ['"=1', `"'""=1"`],
    ["\tx", `"'\tx"`],
    ["Anne-Marie; née = B", '"Anne-Marie; née = B"'],
  ])("writes the name %j so that no spreadsheet takes it for a formula", async (name, cell) => {
    const { csv } = await import(inExamples("nightly-report/csv.js"));
    expect(csv([["A1", name, null]])).toBe(`A1,${cell},\r\n`);
  });

  it("leaves no file behind when it fails", async () => {
    const { env } = await startClinic({ keys: [{ ref: "main", name: "No appointments" }] });
    const folder = temporaryFolder();
    const { code, stderr } = await report(join(folder, "report.csv"), env);
    expect(code).toBe(1);
    expect(stderr).toContain("insufficient_scope");
    expect(await readdir(folder)).toEqual([]);
  });
});

it("waiting-room-screen shows the board, and updates it when the queue changes", async () => {
  const { env, store, clinic } = await startClinic({
    queues: [
      {
        ref: "front",
        name: "Front desk",
        entries: [
          { name: "Customer 1", status: "IN_SERVICE", minutesAgo: 9 },
          { name: "Customer 2", minutesAgo: 5 },
          { name: "Customer 3", minutesAgo: 4, priority: true },
        ],
      },
    ],
  });
  const screen = [inExamples("waiting-room-screen/screen.js")];
  const settings = { ...env, POLL_SECONDS: "0.05" };
  const { child, ended } = startProgram(process.execPath, screen, settings);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next board, up to its empty last line. */
  const board = async () => {
    const read: string[] = [];
    while (read.filter((line) => line === "").length < 2)
      read.push((await lines.next()).value ?? "");
    return read.filter((line) => line !== "");
  };
  expect(await board()).toEqual([
    expect.stringMatching(/^── Front desk ─+$/),
    "Now serving   A1",
    " 1  A3      priority",
    " 2  A2",
  ]);
  await callNext(store, clinic.queue("front"), Date.now());
  expect(await board()).toEqual([expect.any(String), "Now serving   A1  A3", " 1  A2"]);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});

it("testing-with-msw passes its own tests", async () => {
  const vitest = inExamples("../node_modules/vitest/vitest.mjs");
  const { code, stdout } = await run(
    process.execPath,
    [vitest, "run", "--root", inExamples("testing-with-msw")],
    { NO_COLOR: "1" },
  );
  expect(stdout).toMatch(/Tests +7 passed \(7\)/);
  expect(code).toBe(0);
});

it("the examples each have a README", async () => {
  const folders = (await readdir(inExamples(""), { withFileTypes: true })).filter((one) =>
    one.isDirectory(),
  );
  expect(folders.length).toBe(9);
  const overview = await readFile(inExamples("README.md"), "utf8");
  for (const { name } of folders) {
    expect(overview).toContain(`(${name})`);
    expect(await readFile(inExamples(`${name}/README.md`), "utf8")).toMatch(/^# /);
  }
});
