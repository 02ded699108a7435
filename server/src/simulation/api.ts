import {
  type Appointment,
  type CallOptions,
  type EntryWithPosition,
  type Hooks,
  type Queue,
  QueueApi,
  type Service,
} from "@queue-api/sdk";

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
