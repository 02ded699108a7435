import { readConfig } from "../config.js";
import { listeningUrl } from "../lib/http-server.js";
import { pooledRandom, systemClock, systemSleep } from "../lib/system.js";
import { demoSlug } from "../owner/demo-data.js";
import type { SimulationEvent, SimulationSummary } from "../simulation/report.js";
import { openStore } from "../store/open.js";
import { addressFor, nonEmptyFor, wholeNumberFor } from "./arguments.js";
import { databaseUrl, type GlobalOptions } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";
import { eventLine, summaryLines } from "./simulation-lines.js";
import { stopSignal } from "./stop-signal.js";

interface SimulateOptions extends GlobalOptions {
  readonly business: string;
  readonly url?: string;
  readonly speed: number;
  readonly seed?: number;
  readonly quiet?: true;
}

/** The largest value of `--seed`. A random seed is at most this, so that it can be passed to `--seed`. */
const largestSeed = 2 ** 31 - 1;

/** `queue-api simulate` */
export function addSimulateCommand(program: QueueApiCommand): void {
  program
    .command("simulate")
    .description(
      "add customers to the queues of a business and serve everyone in them, until SIGTERM or SIGINT; for a sandbox, not for real customers",
    )
    .option("--business <slug>", "slug of the business", nonEmptyFor("--business"), demoSlug)
    .option(
      "--url <url>",
      "address of the service (default: where serve listens in the same environment, env: BASE_URL)",
      addressFor("--url"),
    )
    .option(
      "--speed <n>",
      "how many times faster than real time; slower while the key's limits are reached",
      wholeNumberFor("--speed", 1, 3_600),
      60,
    )
    .option(
      "--seed <n>",
      "the same number gives the same events (default: random)",
      wholeNumberFor("--seed", 0, largestSeed),
    )
    .option("--quiet", "print nothing but the summary")
    .manual({
      examples: ["queue-api simulate", "queue-api simulate --business demo --speed 10 --seed 42"],
      json: `One line for each event: { event, day, time, queue, entryId, token, name, waiting, … },
where event is arrived, called, completed, gave-up, no-show, turned-away or appointment.
The last line is the summary: { event: "summary", seed, storyMinutes, arrived, called, … }.`,
    })
    .action((_options, command: QueueApiCommand) => run(command.optsWithGlobals()));
}

async function run(options: SimulateOptions): Promise<void> {
  const { json = false, quiet = false, business, speed } = options;
  // Loaded here only, because no other command needs the SDK.
  const [{ simulate }, { clientsOf }] = await Promise.all([
    import("../simulation/simulation.js"),
    import("../simulation/api-client.js"),
  ]);
  const url = options.url ?? urlOf(process.env);
  const random = pooledRandom();
  const seed = options.seed ?? Buffer.from(random(4)).readUInt32BE() >>> 1;
  const store = await openStore(databaseUrl(options), { random, create: false });
  const ending = new AbortController();
  stopSignal().then(() => ending.abort());
  try {
    const summary = await simulate({
      store,
      business,
      connect: clientsOf(url),
      seed,
      speed,
      clock: systemClock,
      sleep: systemSleep,
      random,
      onEvent: quiet ? () => {} : (event) => printEvent(event, json),
      onOutage: (line) => process.stderr.write(`queue-api: ${line}\n`),
      signal: ending.signal,
    });
    printSummary(summary, json);
  } finally {
    await store.close();
  }
}

/** The address of a service that is started in the same environment. */
function urlOf(env: NodeJS.ProcessEnv): string {
  const config = readConfig({ ...env, DATABASE_URL: undefined });
  return config.baseUrl ?? listeningUrl(config, config.port);
}

function printEvent(event: SimulationEvent, json: boolean): void {
  printLine(json ? JSON.stringify(event) : eventLine(event));
}

function printSummary(summary: SimulationSummary, json: boolean): void {
  printLine(json ? JSON.stringify({ event: "summary", ...summary }) : summaryLines(summary));
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
