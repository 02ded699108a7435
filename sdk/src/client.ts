import type { ApiPromise } from "./api-promise.js";
import { ApiSender } from "./api-sender.js";
import { Observers } from "./hooks.js";
import type { HttpMethod } from "./operation.js";
import type { QueueApiOptions, RequestOptions } from "./options.js";
import { Appointments } from "./resources/appointments.js";
import { Entries } from "./resources/entries.js";
import { Me } from "./resources/me.js";
import { Queues } from "./resources/queues.js";
import { Services } from "./resources/services.js";
import { readSettings } from "./settings.js";
import { Pacer } from "./transport/pacer.js";
import { Redactor } from "./transport/redact.js";

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
  readonly me: Me;
  /** The services that the business offers. */
  readonly services: Services;
  /** The queues of the business. */
  readonly queues: Queues;
  /** Queue tokens. */
  readonly entries: Entries;
  /** Appointments, read only. */
  readonly appointments: Appointments;
  /** The service's URL. */
  readonly baseUrl: string;
  readonly #api: ApiSender;
  readonly #pacer: Pacer;
  /** The options, with the key and the URL in use. */
  readonly #options: QueueApiOptions;

  /**
   * Creates a client for one API key. Sends nothing.
   *
   * @param options - The key and the URL default to the environment variables `QUEUE_API_KEY` and
   *   `QUEUE_API_BASE_URL`; all other options have defaults too.
   * @throws {QueueApiError} An option is missing or wrong, or the code runs in a browser.
   */
  constructor(options?: QueueApiOptions);
  /** @internal */
  constructor(options: QueueApiOptions, pacer: Pacer);
  constructor(options: QueueApiOptions = {}, pacer = new Pacer()) {
    const settings = readSettings(options);
    const { apiKey, baseUrl, origin, logger } = settings;
    const transport = {
      fetch: options.fetch,
      origin,
      pacer: options.pacing === false ? null : pacer,
      observers: new Observers([options.hooks ?? []].flat(), logger),
      redactor: new Redactor([apiKey]),
    };
    const api = new ApiSender(transport, settings);
    this.#api = api;
    this.#pacer = pacer;
    this.#options = { ...options, apiKey, baseUrl };
    this.baseUrl = baseUrl;
    this.me = new Me(api);
    this.services = new Services(api);
    this.queues = new Queues(api);
    this.entries = new Entries(api);
    this.appointments = new Appointments(api);
  }

  /**
   * A copy of this client with other defaults. Headers are added to those of this client; other options
   * replace its options. A copy with the same key and URL shares its pacing.
   *
   * @throws {QueueApiError} An option is wrong.
   * @example
   * const patient = api.withOptions({ totalTimeoutMs: 600_000 });
   */
  withOptions(options: QueueApiOptions): QueueApi {
    const given = Object.fromEntries(
      Object.entries(options).filter(([, value]) => value !== undefined),
    );
    const headers = { ...this.#options.headers, ...options.headers };
    const copy = new QueueApi({ ...this.#options, ...given, headers }, this.#pacer);
    const { apiKey, baseUrl } = copy.#options;
    const shared = apiKey === this.#options.apiKey && baseUrl === this.#options.baseUrl;
    return shared ? copy : new QueueApi(copy.#options);
  }

  /**
   * Sends a request to any endpoint, including endpoints that this package does not know yet, with the usual
   * retries, pacing and errors. Returns the whole document of the answer without validation.
   *
   * @param method - GET, POST, PUT, PATCH or DELETE.
   * @param path - The path as in the OpenAPI document, with its parameters filled in: `/v1/queues`.
   * @throws {InvalidRequestError} The method, the path or an option is wrong.
   * @example
   * const { data } = await api.request<{ data: { name: string }[] }>("GET", "/v1/queues", {
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

  /** The public state of a client, without its key. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.baseUrl };
  }
}
