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

/** What a simulation asks of the API: the client of the SDK does all of it. */
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

/** Makes a client for a key, which tells the hooks of its requests. */
export type Connect = (apiKey: string, hooks: Hooks) => Api;

/**
 * Clients of the service at an address. They keep within the limits of their key and call again for as
 * long as it takes: a service that is started anew is only waited for.
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

/** What a caller is made of. */
interface CallerOptions {
  readonly key: SimulationKey;
  readonly connect: Connect;
  /** Slug of the business, for what to do when its access is off. */
  readonly business: string;
  readonly waiting: Waiting;
}

/** What is asked of the API, with the options to ask with. */
type Question<Answer> = (api: Api, options: CallOptions) => Promise<Answer>;

/** Calls the API with a key of its own, which it keeps fresh. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #calls = new AbortController();
  #api: Api | null = null;
  #requests = 0;
  #ending = false;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Finds out whether the service can be used. Throws {@link SimulationError}. */
  async begin(): Promise<void> {
    const api = await this.#connect();
    try {
      await api.me.get({ signal: this.#calls.signal, maxRetries: 0 });
    } catch (error) {
      throw this.#unusable(error, api);
    }
    this.#api = api;
  }

  /** Makes a new key while the old one is still good. */
  async renewOldKey(): Promise<void> {
    const { key, waiting } = this.#options;
    if (await untilReachable(() => key.isOld(), waiting)) this.#api = await this.#connect();
  }

  /**
   * Calls the API. A key that has expired, on a machine that slept, is made anew. Throws what the call
   * throws, {@link ReplacedError} when another simulation has begun, and {@link SimulationError} when
   * somebody has revoked the key.
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

  /** Lets the request under way be answered, and sends no other: whatever waits to be sent fails. */
  end(): void {
    this.#ending = true;
    if (this.#requests === 0) this.cut();
  }

  /** Ends whatever is under way; it fails. */
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
