import type { Logger } from "pino";
import { findBusiness } from "../owner/business.js";
import { demoSlug } from "../owner/demo-data.js";
import { OwnerError } from "../owner/owner-error.js";
import type { Clock, Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";
import { clientsOf } from "./api-client.js";
import { Outages, ReplacedError, SimulationError, untilReachable } from "./failures.js";
import { simulate } from "./simulation.js";
import { isSimulated } from "./simulation-key.js";
import type { Sleep } from "./story-time.js";

/** The options of {@link moveDemo}. */
export interface MovingDemoOptions {
  readonly store: Store;
  /** Where the service listens. */
  readonly url: string;
  readonly random: Random;
  readonly logger: Pick<Logger, "debug" | "warn" | "error">;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The text that the log shows for an error. Default: its message. */
  readonly explain?: (error: OwnerError | SimulationError) => string;
}

/** A demo business with simulated customers. */
export interface MovingDemo {
  /** Ends the simulation after the running request. Call it while the service still answers. */
  stop(): Promise<void>;
}

/** How many times faster than real time the demo runs: there is an event every few seconds. */
const demoSpeed = 10;

/** How often to check whether another simulation of the demo has ended, in milliseconds. */
const checkEveryMs = 10_000;

/**
 * Simulates customers in the demo business, with its own key. It leaves half of a plan's daily tokens to other callers.
 * It pauses while another simulation of the demo runs, on this machine or another. It logs failures and never rejects.
 */
export function moveDemo(options: MovingDemoOptions): MovingDemo {
  const ending = new AbortController();
  const moving = move(options, ending.signal);
  return {
    stop: () => {
      ending.abort();
      return moving;
    },
  };
}

async function move(options: MovingDemoOptions, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) await playUntilReplaced(options, signal);
  } catch (error) {
    if (!signal.aborted) logStop(error, options);
  }
}

/** Runs until another simulation starts, then waits until that one has ended. */
async function playUntilReplaced(options: MovingDemoOptions, signal: AbortSignal): Promise<void> {
  try {
    await play(options, signal);
  } catch (error) {
    if (!(error instanceof ReplacedError)) throw error;
    await untilOthersEnd(options, signal);
  }
}

async function play(
  { store, url, random, logger, clock, sleep }: MovingDemoOptions,
  signal: AbortSignal,
): Promise<void> {
  await simulate({
    store,
    business: demoSlug,
    connect: clientsOf(url),
    seed: Buffer.from(random(4)).readUInt32BE(),
    speed: demoSpeed,
    planShareLeft: 0.5,
    clock,
    sleep,
    random,
    onEvent: ({ event, time }) => logger.debug({ event, time }, "demo simulation event"),
    onOutage: (line) => logger.warn(`the demo simulation is waiting: ${line}`),
    signal,
  });
}

async function untilOthersEnd(
  { store, sleep, logger }: MovingDemoOptions,
  signal: AbortSignal,
): Promise<void> {
  const outages = new Outages((line) => logger.warn(`the demo simulation is waiting: ${line}`));
  const isOtherRunning = async () => isSimulated(store, await findBusiness(store, demoSlug));
  do await sleep(checkEveryMs, signal);
  while (!signal.aborted && (await untilReachable(isOtherRunning, { sleep, outages, signal })));
}

function logStop(error: unknown, { logger, explain }: MovingDemoOptions): void {
  if (error instanceof OwnerError || error instanceof SimulationError) {
    logger.warn(`the demo simulation has stopped: ${explain?.(error) ?? error.message}`);
  } else logger.error({ err: error }, "the demo simulation has stopped");
}
