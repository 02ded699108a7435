import { type ApiPromise, apiPromise, type Success } from "./api-promise.js";
import {
  type Arguments,
  allOptions,
  argumentIssues,
  type Checks,
  callOptions,
  checkOptions,
  createOptions,
  factsOf,
  given,
  isRecord,
  ofCall,
  readRequest,
  refuse,
  requestOptions,
  watchOptions,
  watchQuery,
} from "./arguments.js";
import { operations } from "./generated/operations.js";
import type { ErrorDetail, Operations } from "./generated/types.js";
import { Call } from "./http/call.js";
import type { CallFacts, Envelope, HttpMethod, Operation } from "./operation.js";
import type { CallOptions, CreateOptions, RequestOptions } from "./options.js";
import { Pages } from "./pagination.js";
import { clientHeaders, defaults, lowerCased } from "./settings.js";
import { maxTimerMs } from "./signals.js";
import type { ApiRequest, Settlement, Task, Transport } from "./task.js";

/** Turns the calls of the resources into tasks, and responses into results. */
export class ApiSender {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  send<Name extends keyof Operations>(
    name: Name,
    input: Arguments,
    options?: CreateOptions,
  ): ApiPromise<Operations[Name]> {
    return apiPromise(this.#perform(name, input, options), dataOf<Operations[Name]>);
  }

  pages<Name extends "entries.list" | "appointments.list">(
    name: Name,
    { query = {}, ...rest }: Arguments,
    options?: CallOptions,
  ): Pages<Operations[Name][number]> {
    const taken = isRecord(query) ? given(query) : query; // the rest is refused
    const call = factsOf(name, rest.params, null);
    return new Pages(
      ({ cursor, stop, limit }) => {
        const own = { ...(limit && { limit }), ...taken, ...(cursor !== null && { cursor }) };
        const asked = isRecord(taken) ? own : taken;
        return this.#perform(name, { ...rest, query: asked }, options, stop);
      },
      (ofAll) => this.#check(`${name}().all`, call, ofAll, allOptions),
    );
  }

  /** @throws {QueueApiError} The arguments of a watch are wrong. */
  checkWatch(input: Arguments, options: object): void {
    const call = factsOf("entries.list", input.params, null);
    const issues = argumentIssues(input, watchQuery);
    this.#check("entries.watch", call, options, watchOptions, issues);
  }

  request<Body>(method: HttpMethod, path: string, options: RequestOptions = {}): ApiPromise<Body> {
    return apiPromise(this.#request(method, path, options), dataOf<Body>);
  }

  async #request(method: HttpMethod, path: string, options: RequestOptions): Promise<Success> {
    const { redactor } = this.#transport;
    const { call, issues } = readRequest(method, path, options ?? {}, redactor); // null is refused
    this.#check("request", call, options, requestOptions, issues);
    const shape = { data: null, isPage: false, sendsIdempotencyKey: false };
    const operation = { name: "request", method, path, ...shape } as const;
    const { query, body } = options;
    return this.#send(call, operation, { query, body }, options);
  }

  async #perform(
    name: keyof Operations,
    args: Arguments,
    options: CreateOptions = {},
    stop?: AbortSignal,
  ): Promise<Success> {
    const input = read(args);
    const operation: Operation = { name, ...operations[name] };
    const { sendsIdempotencyKey } = operation;
    const key = sendsIdempotencyKey ? (options?.idempotencyKey ?? crypto.randomUUID()) : null;
    const call = factsOf(name, input.params, key);
    const known = sendsIdempotencyKey ? createOptions : callOptions;
    this.#check(name, call, options, known, argumentIssues(input));
    return this.#send(call, operation, input, options, stop);
  }

  /**
   * Refuses wrong options of a call, and then the issues of its arguments. An error counts as a failed call, so that the
   * log has a line for it too.
   *
   * @param title - What the message of the error begins with.
   */
  #check(
    title: string,
    call: CallFacts,
    options: unknown,
    known: Checks,
    issues: readonly ErrorDetail[] = [],
  ): void {
    try {
      checkOptions(options, known);
      refuse(issues, title, call);
      void this.#transport.credentials.baseUrl; // throws if there is none
    } catch (thrown) {
      const error = ofCall(thrown, title, call);
      const nothingSent = { callId: null, attempts: 0, durationMs: 0 };
      this.#transport.observers.failed({ ...call, ...nothingSent }, error);
      throw error;
    }
  }

  /** Sends a request whose input has been checked, as the input is now. */
  async #send(
    call: CallFacts,
    operation: Operation,
    input: Arguments,
    options: CreateOptions,
    stop?: AbortSignal,
  ): Promise<Success> {
    const url = this.#url(operation, input.params, input.query);
    const body = JSON.stringify(input.body);
    const ofClient = this.#transport.options;
    const settings = { ...defaults, ...given(ofClient), ...given(options) };
    const headers = {
      ...clientHeaders(ofClient),
      ...lowerCased(options.headers),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const settlement =
      operation.name === "entries.cancel" ? this.#canceled(input.params, headers) : null;
    const { signal, idempotencyKey: key } = options;
    const isSource = typeof key === "object";
    const idempotencyKey = isSource ? await derivedKey(key.from) : call.idempotencyKey;
    const task: Task = {
      call: { ...call, idempotencyKey },
      operation,
      url,
      headers: {
        ...headers,
        ...(idempotencyKey !== null && { "idempotency-key": idempotencyKey }),
      },
      body,
      settlement,
      repeatable: idempotencyKey !== null || settlement !== null || isIdempotent(operation.method),
      timeoutMs: Math.min(settings.timeoutMs, maxTimerMs),
      totalTimeoutMs: Math.min(settings.totalTimeoutMs, maxTimerMs),
      maxRetries: settings.maxRetries,
      signals: [signal, stop].filter((one) => one !== undefined),
    };
    return new Call(this.#transport, task).run();
  }

  /** A cancellation has no idempotency key. If its response is lost, a read shows whether it took effect. */
  #canceled(params: Arguments["params"], headers: ApiRequest["headers"]): Settlement {
    const operation = { name: "entries.get", ...operations["entries.get"] } as const;
    return { operation, url: this.#url(operation, params), headers, settles: canceledEntry };
  }

  /** Needs no escaping: the parameters have been checked to be letters and digits. */
  #url({ path }: Operation, params: Arguments["params"], query?: Arguments["query"]): string {
    let filled = path;
    for (const name in params) filled = filled.replace(`:${name}`, params[name] ?? "");
    return this.#transport.credentials.baseUrl + filled + (query ? queryString(query) : "");
  }
}

function dataOf<Data>({ envelope }: Success): Data {
  return envelope.data as Data;
}

/** The arguments as they are now. A getter is read once, so that what is sent has been checked. */
function read({ query, ...args }: Arguments): Arguments {
  return {
    ...args,
    query: isRecord(query) ? given(query) : query,
    ...("body" in args && { body: withoutNull(args.body) }),
  };
}

/** The fields of a body, which can be of any type, without a `serviceId` that is null. */
function withoutNull(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const { serviceId, ...fields } = body;
  return serviceId === null ? fields : { ...fields, serviceId };
}

function canceledEntry({ data }: Envelope): Envelope | null {
  const { position, ...entry } = data as Operations["entries.get"];
  return entry.status === "CANCELED" ? { data: entry } : null;
}

/** The idempotency key that is derived from a text: its SHA-256 in hexadecimal. */
async function derivedKey(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isIdempotent(method: HttpMethod): boolean {
  return method !== "POST" && method !== "PATCH";
}

function queryString(query: NonNullable<Arguments["query"]>): string {
  const text = new URLSearchParams(given(query) as Record<string, string>).toString(); // of any values
  return text === "" ? "" : `?${text}`;
}
