import {
  type Appointment,
  AuthenticationError,
  type CallOptions,
  ConnectionError,
  type EntryWithPosition,
  type Hooks,
  PermissionError,
  type Queue,
  QueueApi,
  type Service,
  TimeoutError,
  UnexpectedResponseError,
} from "@queue-api/sdk";
import { ReplacedError, SimulationError, untilReachable, type Waiting } from "./failures.js";
import type { SimulationKey } from "./simulation-key.js";

/** The part of the SDK's client that a simulation uses. */
export interface Api {
  readonly baseUrl: string;
  readonly me: { get(options: CallOptions): Promise<unknown> };
  readonly services: { list(options: CallOptions): Promise<readonly Service[]> };
  readonly queues: { list(options: CallOptions): Promise<readonly Queue[]> };
  readonly entries: {
    create(
      queueId: string,
      body: { name: string; phone: string; serviceId?: string },
      options: CallOptions,
    ): Promise<EntryWithPosition>;
    cancel(entryId: string, options: CallOptions): Promise<unknown>;
  };
  readonly appointments: {
    list(query: undefined, options: CallOptions): { all(): Promise<readonly Appointment[]> };
    get(appointmentId: string, options: CallOptions): Promise<Appointment>;
  };
}

/** Creates a client for a key. The client calls the hooks for its requests. */
export type Connect = (apiKey: string, hooks: Hooks) => Api;

/**
 * Creates clients of the service at an address. They stay within the limits of their key and retry without limit, so
 * they survive a restart of the service.
 */
export function clientsOf(baseUrl: string): Connect {
  return (apiKey, hooks) =>
    new QueueApi({
      apiKey,
      baseUrl,
      maxRetries: Number.MAX_SAFE_INTEGER,
      totalTimeoutMs: Number.POSITIVE_INFINITY,
      hooks,
    });
}

/** The options of a {@link Caller}. */
interface CallerOptions {
  readonly key: SimulationKey;
  readonly connect: Connect;
  /** The slug of the business, for the message when its access is off. */
  readonly business: string;
  readonly waiting: Waiting;
}

/** A call of the API. */
type Question<Answer> = (api: Api, options: CallOptions) => Promise<Answer>;

/** Calls the API with its own key, which it renews. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #calls = new AbortController();
  #api: Api | null = null;
  #requests = 0;
  #ending = false;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Checks that the service can be used. Throws {@link SimulationError}. */
  async begin(): Promise<void> {
    const api = await this.#connect();
    try {
      await api.me.get({ signal: this.#calls.signal, maxRetries: 0 });
    } catch (error) {
      throw this.#unusable(error, api);
    }
    this.#api = api;
  }

  /** Creates a new key before the old one expires. */
  async renewOldKey(): Promise<void> {
    const { key, waiting } = this.#options;
    if (await untilReachable(() => key.isOld(), waiting)) this.#api = await this.#connect();
  }

  /**
   * Calls the API. Replaces a key that has expired, for example while the machine was asleep. Throws the error of the
   * call, {@link ReplacedError} if another simulation has started, and {@link SimulationError} if a person has
   * revoked the key.
   */
  async ask<Answer>(question: Question<Answer>): Promise<Answer> {
    const { key, waiting } = this.#options;
    const { signal } = this.#calls;
    for (let renewed = false; ; renewed = true) {
      const api = this.#api ?? (await this.#connect());
      this.#api = api;
      try {
        const answer = await question(api, { signal });
        waiting.troubles.end();
        return answer;
      } catch (error) {
        if (!(error instanceof AuthenticationError)) throw error;
        const standing = await untilReachable(() => key.standing(), waiting);
        if (standing !== "kept") throw ended(standing, error);
        if (renewed) throw this.#unusable(error, api);
        this.#api = null;
      }
    }
  }

  /** Waits for the running request and sends no other. Requests that have not been sent fail. */
  end(): void {
    this.#ending = true;
    if (this.#requests === 0) this.cut();
  }

  /** Aborts the running requests. */
  cut(): void {
    this.#calls.abort();
  }

  async #connect(): Promise<Api> {
    const { key, connect, waiting } = this.#options;
    const apiKey = await untilReachable(() => key.make(), waiting);
    return connect(apiKey, {
      onRequest: () => {
        this.#requests += 1;
      },
      onResponse: () => {
        this.#requests -= 1;
        if (this.#ending && this.#requests === 0) this.cut();
      },
      onRetry: ({ reason }) =>
        waiting.troubles.begin(`the API does not answer as it should (${reason}); trying again`),
    });
  }

  /** Why the service cannot be used, and what to do. */
  #unusable(error: unknown, { baseUrl }: Api): unknown {
    const message = this.#remedy(error, baseUrl);
    return message === null ? error : new SimulationError(message, { cause: error });
  }

  #remedy(error: unknown, url: string): string | null {
    if (error instanceof ConnectionError || error instanceof TimeoutError) {
      return `nothing answers at ${url}; start the service with: queue-api serve, or say where it is with --url`;
    }
    if (error instanceof UnexpectedResponseError) {
      return `what answers at ${url} is not the Queue API; say where it is with --url`;
    }
    if (error instanceof AuthenticationError) {
      return `the service at ${url} works on another database; name that one with --database, or say where the service is with --url`;
    }
    if (error instanceof PermissionError && error.code === "api_access_disabled") {
      return `API access is off; switch it on with: queue-api business set ${this.#options.business} --access on`;
    }
    return null;
  }
}

function ended(standing: "replaced" | "revoked", cause: AuthenticationError): SimulationError {
  if (standing === "replaced") return new ReplacedError({ cause });
  return new SimulationError("somebody has revoked the key of the simulation", { cause });
}
