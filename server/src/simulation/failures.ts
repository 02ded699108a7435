import { StoreUnavailableError } from "../store/store-unavailable-error.js";
import type { Sleep } from "./story-time.js";

/** Why a simulation cannot start or continue: a code, and the facts that explain it. */
export type SimulationRefusal =
  | {
      readonly code: "service_unreachable" | "not_queue_api" | "other_database";
      readonly url: string;
    }
  | { readonly code: "api_access_disabled" | "not_a_sandbox"; readonly slug: string }
  | { readonly code: "no_open_queue" | "key_revoked" | "replaced" };

/** A simulation that cannot start or continue. `refusal` is for programs, the message is one line for people. */
export class SimulationError extends Error {
  override readonly name: string = "SimulationError";

  constructor(
    readonly refusal: SimulationRefusal,
    options?: ErrorOptions,
  ) {
    super(messageOf(refusal), options);
  }
}

function messageOf(refusal: SimulationRefusal): string {
  switch (refusal.code) {
    case "service_unreachable":
      return `nothing answers at ${refusal.url}`;
    case "not_queue_api":
      return `the server at ${refusal.url} is not the Queue API`;
    case "other_database":
      return `the service at ${refusal.url} uses another database`;
    case "api_access_disabled":
      return "API access is off";
    case "not_a_sandbox":
      return "this business is not a sandbox, and a simulation calls and serves everyone in its queues";
    case "no_open_queue":
      return "no queue of the business takes tokens";
    case "key_revoked":
      return "the key of the simulation was revoked";
    case "replaced":
      return "another simulation of the business has started, so this one has ended";
  }
}

/** A later simulation of the same business has replaced this one. */
export class ReplacedError extends SimulationError {
  override readonly name = "ReplacedError";

  constructor(options: ErrorOptions) {
    super({ code: "replaced" }, options);
  }
}

/** Reports each outage once. */
export class Outages {
  readonly #report: (line: string) => void;
  #reported = false;

  /** @param report Called with one line when an outage begins. */
  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  begin(line: string): void {
    if (!this.#reported) this.#report(line);
    this.#reported = true;
  }

  end(): void {
    this.#reported = false;
  }
}

const retryAfterMs = 1_000;

/** How to wait for the database or the service. */
export interface Waiting {
  readonly sleep: Sleep;
  readonly outages: Outages;
  /** Ends the wait: once it is aborted, the next failure is thrown. */
  readonly signal: AbortSignal;
}

/** Repeats work until the database responds. */
export async function untilReachable<Result>(
  work: () => Promise<Result>,
  { sleep, outages, signal }: Waiting,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error;
      outages.begin("the database cannot be reached; retrying");
      await sleep(retryAfterMs, signal);
    }
  }
}
