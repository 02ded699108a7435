import { statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import type { RunningServer } from "../app.js";
import { type Config, readConfig } from "../config.js";
import { stopSignal, systemElapsed, systemRandom, systemSleep } from "../lib/system.js";
import { openStore } from "../open-store.js";
import type { Store } from "../operations/store.js";
import { OwnerError } from "../owner/owner-error.js";
import { Passwords } from "../owner/password.js";
import type { Random } from "../rules/ports.js";
import { openDemo, type ServedDemo } from "../simulation/demo.js";
import { demoSlug } from "../simulation/demo-data.js";
import { simulate } from "../simulation/simulation.js";
import { StoreUnavailableError } from "../store/errors.js";
import { fileOf } from "../store/open.js";
import { nonEmptyFor, wholeNumberFor, wordFor } from "./arguments.js";
import type { GlobalOptions, QueueApiCommand } from "./command.js";
import { messageWithHint } from "./command-errors.js";
import { print } from "./output.js";

/** The time between two attempts to reach the database. */
const retryDelayMs = 1_000;

/** How long open connections may still send a request after a signal to stop. */
const lingerMs = 1_000;

interface ServeOptions extends GlobalOptions {
  readonly host?: string;
  readonly port?: number;
  /** True for a demo with simulated customers. */
  readonly demo?: true | "still";
  readonly prepare: boolean;
}

/** `queue-api serve` */
export function addServeCommand(program: QueueApiCommand): void {
  program
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT; a second signal ends the process at once")
    .option(
      "--host <address>",
      "address to listen on (default: 127.0.0.1, env: HOST)",
      nonEmptyFor("--host"),
    )
    .option(
      "--port <n>",
      "port to listen on, 0 for a free one (default: 3000, env: PORT)",
      wholeNumberFor("--port", 0, 65_535),
    )
    .option(
      "--no-prepare",
      "do not create indexes in a MongoDB database; a missing one is then an error",
    )
    .option(
      "--demo [still]",
      "add a demo business if it does not exist, and simulate customers in it unless still; print its key and how to sign in to its dashboard",
      wordFor("--demo", ["still"]),
    )
    .examples(
      "queue-api serve",
      "queue-api serve --port 0 --demo",
      "queue-api serve --port 0 --demo=still",
    )
    .printsJson(`{ url }, and with --demo
  { url, baseUrl, key, dashboard: { url, email, password }, curl: [three lines] }, once it is ready`)
    .action((_options, command: QueueApiCommand) => serve(command.optsWithGlobals()));
}

async function serve(options: ServeOptions): Promise<void> {
  const config = configOf(options);
  // First, because a process with the id 1, as in a container, ignores a signal without a handler.
  const stopped = stopSignal();
  // Loaded here only, because loading the server takes time that no other command needs.
  const [{ startServer }, { createLogger }] = await Promise.all([
    import("../app.js"),
    import("../lib/logger.js"),
  ]);
  const random = systemRandom;
  const logger = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  const prepare = options.prepare ? "always" : "never";
  const open = () => openStore(config.databaseUrl, { random, prepare, threads: true });
  const store = await Promise.race([onceReachable(open, logger), stopped]);
  if (!store) process.exit(); // an attempt to reach the database may take long, and has nothing to clean up
  try {
    const file = fileOf(config.databaseUrl);
    warnOfReaders(file, logger);
    const passwords = new Passwords({ random });
    const tryIt = options.demo !== undefined;
    const parts = { store, config, random, logger, passwords, lingerMs, tryIt };
    const server = await startServer(parts).catch((error) => {
      throw listenError(error, config);
    });
    try {
      const demo = options.demo ? await openDemo(store, { file, random, passwords }) : null;
      const isSimulated = options.demo === true;
      print(ready(server, config, demo, isSimulated), options.json);
      const ending = new AbortController();
      const simulation = isSimulated ? simulateDemo(store, logger, random, ending.signal) : null;
      await stopped;
      ending.abort();
      await simulation;
    } finally {
      await server.close();
    }
  } finally {
    await store.close();
  }
  process.exit(); // the exporter of traces may still wait for a collector that does not respond
}

/** How many times faster than real time the demo runs: there is an event every few seconds. */
const demoSpeed = 10;

/** Simulates customers in the demo until the signal is aborted. Logs why it stops before, and never rejects. */
async function simulateDemo(
  store: Store,
  logger: Logger,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  try {
    await simulate({
      store,
      business: demoSlug,
      speed: demoSpeed,
      random,
      signal,
      seed: Buffer.from(random(4)).readUInt32BE(),
      elapsed: systemElapsed,
      sleep: systemSleep,
      onEvent: (event) => logger.debug({ event }, "demo simulation event"), // it has a time of its own
      onOutage: (line) => logger.warn(`the demo simulation is waiting: ${line}`),
    });
  } catch (error) {
    if (!(error instanceof OwnerError))
      logger.error({ err: error }, "the demo simulation has stopped");
    else logger.warn(`the demo simulation has stopped: ${messageWithHint(error)}`);
  }
}

/** Opens the store. Waits for a database server that cannot be reached. */
async function onceReachable(open: () => Promise<Store>, logger: Logger): Promise<Store> {
  for (let waiting = false; ; waiting = true) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (!waiting) logger.warn(`waiting for the database: ${error.message}`);
      await setTimeout(retryDelayMs);
    }
  }
}

/** Warns if other users of this machine can read the database file. SQLite gives its log the same mode. */
function warnOfReaders(file: string | null, logger: Logger): void {
  if (file === null || process.platform === "win32") return;
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  logger.warn(
    `${file} has the mode ${mode.toString(8).padStart(4, "0")}, so other users of this machine can use the names and phone numbers in it: chmod 600 it, and its -wal and -shm files`,
  );
}

/** The configuration. Options take precedence over environment variables. */
function configOf({ host, port, database }: ServeOptions): Config {
  return readConfig({
    ...process.env,
    ...(host !== undefined && { HOST: host }),
    ...(port !== undefined && { PORT: String(port) }),
    ...(database !== undefined && { DATABASE_URL: database }),
  });
}

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken; choose another with --port, or a free one with --port 0",
  EACCES: "this port needs more privileges; choose one above 1023 with --port",
  EADDRNOTAVAIL: "this machine does not have that address; choose another with --host",
  ENOTFOUND: "the host is not known; choose an address of this machine with --host",
};

function listenError(error: NodeJS.ErrnoException, { port, metricsPort }: Config): Error {
  const isMetrics = error.code === "EADDRINUSE" && port === metricsPort;
  const message = isMetrics
    ? "METRICS_PORT and the port of the service are the same; choose another METRICS_PORT"
    : listenErrors[error.code ?? ""];
  return message === undefined ? error : new Error(message, { cause: error });
}

function ready(
  { url }: RunningServer,
  config: Config,
  demo: ServedDemo | null,
  isSimulated: boolean,
) {
  const listening = `listening on ${url}`;
  if (!demo) return { json: { url }, text: listening };
  const baseUrl = config.baseUrl ?? url;
  const { key, owner } = demo;
  const curl = curlLines(baseUrl, demo);
  const dashboard = `${baseUrl}/dashboard`;
  const simulationNotice =
    "\n\nSimulated customers come and go, faster than real ones; --demo=still turns this off.";
  return {
    json: { url, baseUrl, key, dashboard: { url: dashboard, ...owner }, curl },
    text: `${listening}

Base URL:  ${baseUrl}
Key:       ${key}
Dashboard: ${dashboard}
Sign in:   ${owner.email} with the password ${owner.password}

${curl.join("\n")}${isSimulated ? simulationNotice : ""}`,
  };
}

function curlLines(baseUrl: string, { key, queueId }: ServedDemo): string[] {
  const authorization = `-H "Authorization: Bearer ${key}"`;
  const entries = `${baseUrl}/v1/queues/${queueId}/entries`;
  const body = JSON.stringify({ name: "Kiran Bose", phone: "+91 98000 00099" });
  return [
    `curl ${authorization} ${baseUrl}/v1/me`,
    `curl ${authorization} "${entries}?status=WAITING"`,
    `curl ${authorization} -H "Content-Type: application/json" -d '${body}' ${entries}`,
  ];
}
