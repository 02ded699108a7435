import type { Logger } from "pino";
import { findBusiness } from "../owner/business.js";
import { demoSlug } from "../owner/demo-data.js";
import { OwnerError } from "../owner/owner-error.js";
import type { Clock, Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";
import { clientsOf } from "./api-client.js";
import { ReplacedError, SimulationError, Troubles, untilReachable } from "./failures.js";
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
  /** The text that the log shows for a refused action of the owner. Default: its message. */
  readonly explain?: (error: OwnerError) => string;
}

/** A demo business with simulated customers. */
export interface MovingDemo {
  /** Ends the simulation after the running request. Call it while the service still answers. */
  stop(): Promise<void>;
}

/** How many times faster than real time the demo runs: there is an event every few seconds. */
const demoSpeed = 10;

/** How often to check whether another simulation of the demo has ended, in milliseconds. */
const lookAgainMs = 10_000;

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
    if (!signal.aborted) standStill(error, options);
  }
}

/** Plays until another simulation starts, and pauses until that one has ended. */
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
    tell: ({ event, time }) => logger.debug({ event, time }, "the demo moves"),
    trouble: (line) => logger.warn(`the demo waits: ${line}`),
    signal,
  });
}

async function untilOthersEnd(
  { store, sleep, logger }: MovingDemoOptions,
  signal: AbortSignal,
): Promise<void> {
  const troubles = new Troubles((line) => logger.warn(`the demo waits: ${line}`));
  const othersGoOn = async () => isSimulated(store, await findBusiness(store, demoSlug));
  do await sleep(lookAgainMs, signal);
  while (!signal.aborted && (await untilReachable(othersGoOn, { sleep, troubles, signal })));
}

function standStill(error: unknown, { logger, explain }: MovingDemoOptions): void {
  if (error instanceof OwnerError) {
    logger.warn(`the demo stands still: ${explain?.(error) ?? error.message}`);
  } else if (error instanceof SimulationError) {
    logger.warn(`the demo stands still: ${error.message}`);
  } else logger.error({ err: error }, "the demo stands still");
}
