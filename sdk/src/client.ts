import { ApiSender } from "./api-sender.js";
import { Observers } from "./hooks.js";
import type { QueueApiOptions } from "./options.js";
import { Appointments } from "./resources/appointments.js";
import { Entries } from "./resources/entries.js";
import { Me } from "./resources/me.js";
import { Queues } from "./resources/queues.js";
import { Services } from "./resources/services.js";
import { readSettings } from "./settings.js";
import { Pacer } from "./transport/pacer.js";

/**
 * A client of the Queue API for one API key. Make one and keep it: its calls share what is known of the
 * rate limit.
 *
 * @example
 * const api = new QueueApi({ apiKey: process.env.QUEUE_API_KEY, baseUrl: "https://queue.example" });
 * const entry = await api.entries.create(queueId, { name: "Customer 1", phone: "+91 98000 00001" });
 */
export class QueueApi {
  /** The key in use and its business. */
  readonly me: Me;
  /** What the business does for people. */
  readonly services: Services;
  /** Lines of people. */
  readonly queues: Queues;
  /** Queue tokens. */
  readonly entries: Entries;
  /** Appointments, read only. */
  readonly appointments: Appointments;
  /** The service's address. */
  readonly baseUrl: string;

  /**
   * @throws {QueueApiError} An option is missing or wrong, or this is a browser.
   */
  constructor(options: QueueApiOptions = {}) {
    const settings = readSettings(options);
    const transport = {
      fetch: options.fetch ?? null,
      origin: settings.origin,
      pacer: options.pacing === false ? null : new Pacer(),
      observers: new Observers([options.hooks ?? []].flat(), options.logger),
      apiKey: settings.apiKey,
    };
    const api = new ApiSender(transport, settings);
    this.baseUrl = settings.baseUrl;
    this.me = new Me(api);
    this.services = new Services(api);
    this.queues = new Queues(api);
    this.entries = new Entries(api);
    this.appointments = new Appointments(api);
  }

  /** What may be shown of a client: everything but its key. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.baseUrl };
  }
}
