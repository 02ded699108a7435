import { stopSignal, systemElapsed, systemSleep } from "../lib/system.js";
import { demoSlug } from "../simulation/demo-data.js";
import { type SimulationEvent, simulate } from "../simulation/simulation.js";
import { nonEmptyFor, wholeNumberFor } from "./arguments.js";
import { databaseUrl, type GlobalOptions, type QueueApiCommand, withStore } from "./command.js";
import { printable } from "./output.js";

interface SimulateOptions extends GlobalOptions {
  readonly business: string;
  readonly speed: number;
  readonly seed?: number;
  readonly quiet?: true;
}

/** The largest value of `--seed`. A random seed is at most this, so that it can be passed to `--seed`. */
const maxSeed = 2 ** 31 - 1;

/** `queue-api simulate` */
export function addSimulateCommand(program: QueueApiCommand): void {
  program
    .command("simulate")
    .description(
      "add customers to the queues of a business and serve everyone in them, until SIGTERM or SIGINT; for a sandbox, not for real customers",
    )
    .option("--business <slug>", "slug of the business", nonEmptyFor("--business"), demoSlug)
    .option(
      "--speed <n>",
      "how many times faster than real time",
      wholeNumberFor("--speed", 1, 3_600),
      60,
    )
    .option(
      "--seed <n>",
      "the same number gives the same events (default: random)",
      wholeNumberFor("--seed", 0, maxSeed),
    )
    .option("--quiet", "print nothing but the summary")
    .examples("queue-api simulate", "queue-api simulate --business demo --speed 10 --seed 42")
    .printsJson(`One line for each event: { event, day, time, queue, entryId, token, waiting, … },
where event is arrived, called, completed, gave-up, no-show, turned-away or appointment.
The last line is the summary: { event: "summary", seed, minutes, arrived, called, … }.`)
    .action((_options, command: QueueApiCommand) => run(command.optsWithGlobals()));
}

function run(options: SimulateOptions): Promise<void> {
  const { json = false, quiet = false, business, speed } = options;
  return withStore(databaseUrl(options), { create: false }, async ({ store, random }) => {
    const seed = options.seed ?? Buffer.from(random(4)).readUInt32BE() >>> 1;
    const ending = new AbortController();
    stopSignal().then(() => ending.abort());
    const counts = { ...noEvents };
    const print = (line: string) => process.stdout.write(`${line}\n`);
    const minutes = await simulate({
      store,
      business,
      seed,
      speed,
      random,
      elapsed: systemElapsed,
      sleep: systemSleep,
      signal: ending.signal,
      onEvent: (event) => {
        counts[event.event] += 1;
        if (!quiet) print(json ? JSON.stringify(event) : eventLine(event));
      },
      onOutage: (line) => process.stderr.write(`queue-api: ${line}\n`),
    });
    const end = { event: "summary", seed, minutes, ...counts };
    print(json ? JSON.stringify(end) : summary(minutes, seed, counts));
  });
}

const noEvents = {
  arrived: 0,
  called: 0,
  completed: 0,
  "gave-up": 0,
  "no-show": 0,
  "turned-away": 0,
  appointment: 0,
};

/** An event as one line of text. */
function eventLine(event: SimulationEvent): string {
  return printable(`day ${event.day} ${event.time}  ${sentence(event)}`);
}

function sentence(event: SimulationEvent): string {
  if (event.event === "appointment") {
    return `-     the appointment at ${event.slotTime} is ${event.status} now`;
  }
  if (event.event === "turned-away") {
    return `-     somebody is turned away from ${event.queue} (${event.reason})`;
  }
  const text = `${event.token.padEnd(5)} ${sentences[event.event]} ${event.queue}`;
  return event.event === "completed" ? text : `${text}; ${event.waiting} waiting`;
}

const sentences = {
  arrived: "arrives at",
  called: "is called to",
  completed: "is done at",
  "gave-up": "gives up at",
  "no-show": "does not come when called to",
} as const;

function summary(minutes: number, seed: number, counts: typeof noEvents): string {
  return `Simulated ${minutes} minutes with seed ${seed}.
${counts.arrived} arrived, ${counts.called} were called, ${counts.completed} were served, ${counts["gave-up"]} gave up, ${counts["no-show"]} did not come, ${counts["turned-away"]} were turned away.
Status changes of appointments: ${counts.appointment}.`;
}
