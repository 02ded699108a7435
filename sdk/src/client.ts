import type { ApiPromise } from "./api-promise.js";
import { ApiSender } from "./api-sender.js";
import { given } from "./arguments.js";
import { Credentials } from "./credentials.js";
import { Pacer } from "./http/pacer.js";
import type { HttpMethod } from "./operation.js";
import type { QueueApiOptions, RequestOptions } from "./options.js";
import { Redactor } from "./redact.js";
import { Appointments, Entries, MeResource, Queues, Services } from "./resources.js";
import { checkClientOptions, lowerCased, readObservers } from "./settings.js";
import type { Transport } from "./task.js";

/** What a client and its copies with the same options `apiKey` and `baseUrl` share. */
interface Shared extends Pick<Transport, "credentials" | "redactor"> {
  readonly pacer: Pacer;
}

function sharedBy(options: QueueApiOptions): Shared {
  const redactor = new Redactor();
  return { redactor, credentials: new Credentials(options, redactor), pacer: new Pacer() };
}

/** Makes the methods of an object work without it, as in `const { create } = api.entries`. */
function bound<Value extends object>(object: Value): Value {
  const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(
    Object.getPrototypeOf(object),
  );
  for (const [name, { value }] of Object.entries(members)) {
    if (typeof value !== "function") continue;
    const method = { value: value.bind(object), configurable: true, writable: true };
    Object.defineProperty(object, name, method);
  }
  return object;
}

/**
 * A client of the Queue API for one API key. Create one and reuse it: its calls share the state of the rate
 * limit.
 *
 * @example
 * const api = new QueueApi({ apiKey: process.env.QUEUE_API_KEY, baseUrl: "https://queue.example" });
 * const entry = await api.entries.create(queueId, { name: "Customer 1", phone: "+91 98000 00001" });
 */
export class QueueApi {
  /** The key in use and its business. */
  readonly me: MeResource;
  /** The services that the business offers. */
  readonly services: Services;
  /** The queues of the business. */
  readonly queues: Queues;
  /** Queue tokens. */
  readonly entries: Entries;
  /** Appointments, read only. */
  readonly appointments: Appointments;
  readonly #api: ApiSender;
  readonly #options: QueueApiOptions;
  readonly #shared: Shared;

  /**
   * Creates a client for one API key. Sends nothing, and reads neither a key nor a URL from the environment: a
   * missing one is an {@link InvalidOptionError} of the first call.
   *
   * @param options - The key and the URL default to the environment variables `QUEUE_API_KEY` and
   *   `QUEUE_API_BASE_URL`; all other options have defaults too.
   * @throws {InvalidOptionError} An option is wrong, or the code runs in a browser.
   */
  constructor(options?: QueueApiOptions);
  /** @internal */
  constructor(options: QueueApiOptions, shared: Shared);
  constructor(options: QueueApiOptions = {}, of?: Shared) {
    checkClientOptions(options);
    this.#shared = of ?? sharedBy(options);
    this.#options = options;
    const { credentials, redactor } = this.#shared;
    const pacer = options.pacing === false ? null : this.#shared.pacer;
    const observers = readObservers(options);
    const api = new ApiSender({ options, credentials, redactor, pacer, observers });
    this.#api = api;
    this.me = bound(new MeResource(api));
    this.services = bound(new Services(api));
    this.queues = bound(new Queues(api));
    this.entries = bound(new Entries(api));
    this.appointments = bound(new Appointments(api));
    bound(this);
  }

  /**
   * A copy of this client with other defaults. Headers are added to those of this client; other options
   * replace its options. A copy with the same options `apiKey` and `baseUrl` shares its pacing.
   *
   * @throws {InvalidOptionError} An option is wrong.
   * @example
   * const patient = api.withOptions({ totalTimeoutMs: 600_000 });
   */
  withOptions(options: QueueApiOptions): QueueApi {
    checkClientOptions(options);
    const headers = { ...lowerCased(this.#options.headers), ...lowerCased(options.headers) };
    const all: QueueApiOptions = { ...this.#options, ...given(options), headers };
    const { apiKey, baseUrl } = this.#options;
    const shares = all.apiKey === apiKey && all.baseUrl === baseUrl;
    return shares ? new QueueApi(all, this.#shared) : new QueueApi(all);
  }

  /**
   * Sends a request to any endpoint, including endpoints and parameters that this package does not know yet, with
   * the usual retries, pacing and errors. Returns the whole document of the response without validation.
   *
   * @param method - GET, POST, PUT, PATCH or DELETE.
   * @param path - The path as in the OpenAPI document, with its parameters filled in: `/v1/queues`.
   * @throws {InvalidOptionError} An option is wrong.
   * @throws {InvalidRequestError} The method or the path is wrong.
   * @example
   * const { data } = await api.request<{ data: { date: string }[] }>("GET", "/v1/appointments", {
   *   query: { limit: 10 },
   * });
   */
  request<Data = unknown>(
    method: HttpMethod,
    path: string,
    options?: RequestOptions,
  ): ApiPromise<Data> {
    return this.#api.request(method, path, options);
  }
}
