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
import {
  ReplacedError,
  SimulationError,
  type SimulationRefusal,
  untilReachable,
  type Waiting,
} from "./failures.js";
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
  /** The slug of the business. The error for disabled access names it. */
  readonly business: string;
  readonly waiting: Waiting;
}

/** A call of the API. */
type ApiCall<Answer> = (api: Api, options: CallOptions) => Promise<Answer>;

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
   * call, {@link ReplacedError} if another simulation has started, and {@link SimulationError} if a person revoked
   * the key.
   */
  async ask<Answer>(call: ApiCall<Answer>): Promise<Answer> {
    const { key, waiting } = this.#options;
    const { signal } = this.#calls;
    for (let renewed = false; ; renewed = true) {
      const api = this.#api ?? (await this.#connect());
      this.#api = api;
      try {
        const answer = await call(api, { signal });
        waiting.outages.end();
        return answer;
      } catch (error) {
        if (!(error instanceof AuthenticationError)) throw error;
        const state = await untilReachable(() => key.state(), waiting);
        if (state !== "valid") throw ended(state, error);
        if (renewed) throw this.#unusable(error, api);
        this.#api = null;
      }
    }
  }

  /** Lets the running request finish and starts no other. Requests that were not sent fail. */
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
        waiting.outages.begin(`the API does not respond correctly (${reason}); retrying`),
    });
  }

  /** The error of a service that cannot be used; the given error if its cause is unknown. */
  #unusable(error: unknown, { baseUrl }: Api): unknown {
    const refusal = this.#refusalOf(error, baseUrl);
    return refusal === null ? error : new SimulationError(refusal, { cause: error });
  }

  #refusalOf(error: unknown, url: string): SimulationRefusal | null {
    if (error instanceof ConnectionError || error instanceof TimeoutError) {
      return { code: "service_unreachable", url };
    }
    if (error instanceof UnexpectedResponseError) return { code: "not_queue_api", url };
    if (error instanceof AuthenticationError) return { code: "other_database", url };
    if (error instanceof PermissionError && error.code === "api_access_disabled") {
      return { code: "api_access_disabled", slug: this.#options.business };
    }
    return null;
  }
}

function ended(state: "replaced" | "revoked", cause: AuthenticationError): SimulationError {
  if (state === "replaced") return new ReplacedError({ cause });
  return new SimulationError({ code: "key_revoked" }, { cause });
}
