import type {
  Appointment,
  CreateEntryRequest,
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  QueueSummary,
  Service,
} from "@queue-api/contract";
import { Answer } from "./answer.js";
import type { Conformance } from "./conformance.js";

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent unchanged. The test sets the content type. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The service that receives requests, and the document that its responses must match. */
export interface Target {
  readonly url: string;
  /** Null only while the OpenAPI document itself is fetched. */
  readonly conformance: Conformance | null;
}

/** Sends a request. All tests use this function, which checks every response before it returns it. */
export async function request<Data>(
  target: Target,
  method: string,
  path: string,
  { query, headers, json, body }: RequestOptions = {},
): Promise<Answer<Data>> {
  const url = new URL(target.url + path);
  for (const [name, value] of Object.entries(query ?? {})) {
    url.searchParams.set(name, String(value));
  }
  const content = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...headers },
    ...(content !== undefined && { body: content }),
  });
  const answer = new Answer<Data>(response.status, response.headers, await response.text());
  target.conformance?.check(method, url, answer);
  return answer;
}

export const customer1: CreateEntryRequest = { name: "Customer 1", phone: "919800000001" };

/** A client of the API with one key or none, at one address. */
export class Client {
  constructor(
    readonly target: Target,
    readonly key: string | null,
    /** The address of the client, sent in `X-Forwarded-For` like a proxy does. */
    readonly address: string,
  ) {}

  from(address: string): Client {
    return new Client(this.target, this.key, address);
  }

  with(key: string | null): Client {
    return new Client(this.target, key, this.address);
  }

  send<Data = unknown>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<Data>> {
    const headers = {
      "X-Forwarded-For": this.address,
      ...(this.key !== null && { Authorization: `Bearer ${this.key}` }),
      ...options.headers,
    };
    return request<Data>(this.target, method, path, { ...options, headers });
  }

  get<Data = unknown>(path: string, options?: RequestOptions): Promise<Answer<Data>> {
    return this.send<Data>("GET", path, options);
  }

  post<Data = unknown>(path: string, options?: RequestOptions): Promise<Answer<Data>> {
    return this.send<Data>("POST", path, options);
  }

  me(): Promise<Answer<Me>> {
    return this.get("/v1/me");
  }

  services(): Promise<Answer<Service[]>> {
    return this.get("/v1/services");
  }

  queues(): Promise<Answer<Queue[]>> {
    return this.get("/v1/queues");
  }

  queue(queueId: string, query: RequestOptions["query"] = {}): Promise<Answer<QueueSummary>> {
    return this.get(`/v1/queues/${queueId}`, { query });
  }

  entries(queueId: string, query: RequestOptions["query"] = {}): Promise<Answer<Entry[]>> {
    return this.get(`/v1/queues/${queueId}/entries`, { query });
  }

  /** Creates an entry; with `key` the request carries it as its Idempotency-Key. */
  create(
    queueId: string,
    body: unknown = customer1,
    key?: string,
  ): Promise<Answer<EntryWithPosition>> {
    return this.post(`/v1/queues/${queueId}/entries`, {
      json: body,
      ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
    });
  }

  entry(entryId: string): Promise<Answer<EntryWithPosition>> {
    return this.get(`/v1/entries/${entryId}`);
  }

  cancel(entryId: string): Promise<Answer<Entry>> {
    return this.post(`/v1/entries/${entryId}/cancel`);
  }

  appointments(query: RequestOptions["query"] = {}): Promise<Answer<Appointment[]>> {
    return this.get("/v1/appointments", { query });
  }

  appointment(appointmentId: string): Promise<Answer<Appointment>> {
    return this.get(`/v1/appointments/${appointmentId}`);
  }
}
