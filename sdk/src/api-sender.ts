import { type ApiPromise, apiPromise } from "./api-promise.js";
import { checkArguments } from "./arguments.js";
import { operations } from "./generated/operations.js";
import type { Operations } from "./generated/types.js";
import { lowerCased } from "./headers.js";
import { keyOf } from "./idempotency-key.js";
import type { HttpMethod, Operation } from "./operation.js";
import { callOptionNames, createOptionNames } from "./option-names.js";
import type { CallOptions, CreateOptions, defaults, RequestOptions } from "./options.js";
import { type Page, Pages } from "./page.js";
import { anyOperation, checkRequest } from "./request.js";
import type { Input, PagedOperation, Sender } from "./sender.js";
import { settlements } from "./settlements.js";
import { send } from "./transport/call.js";
import type { Settlement, Success, Task, Transport } from "./transport/task.js";

/** The settings that all calls of a client share. */
export interface SenderSettings extends Record<keyof typeof defaults, number> {
  /** Prefix of each API path: empty, or a path without a trailing slash. */
  readonly basePath: string;
  /** Sent with every request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts of an input. An operation may have some of them. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Turns operations into tasks, and answers into results. */
export class ApiSender implements Sender {
  readonly #transport: Transport;
  readonly #settings: SenderSettings;

  constructor(transport: Transport, settings: SenderSettings) {
    this.#transport = transport;
    this.#settings = settings;
  }

  send<Id extends keyof Operations>(
    id: Id,
    input: Input<Id>,
    options?: CreateOptions,
  ): ApiPromise<Operations[Id]["data"]> {
    return apiPromise(this.#perform(id, input, options));
  }

  pages<Id extends PagedOperation>(
    id: Id,
    input: Input<Id>,
    options?: CallOptions,
  ): Pages<Operations[Id]["data"][number]> {
    const { query, ...rest } = input as AnyInput;
    const { name } = operations[id];
    return new Pages(async (cursor, stop): Promise<Page<Operations[Id]["data"][number]>> => {
      const part = cursor === null ? query : { ...query, cursor };
      const success = await this.#perform(id, { ...rest, query: part }, options, stop);
      const { data, nextCursor = null } = success.envelope;
      return { items: data as Operations[Id]["data"], nextCursor, requestId: success.requestId };
    }, name);
  }

  request<Data>(method: HttpMethod, path: string, options: RequestOptions = {}): ApiPromise<Data> {
    return apiPromise(this.#request(method, path, options));
  }

  async #request(method: HttpMethod, path: string, options: RequestOptions): Promise<Success> {
    this.#check(anyOperation.id, () =>
      checkRequest(method, path, options, this.#transport.redactor),
    );
    const operation = { ...anyOperation, name: `${method} ${path}`, method, path };
    const { query, body, idempotencyKey } = options;
    const key = idempotencyKey === undefined ? null : await keyOf(idempotencyKey);
    return send(this.#transport, this.#task(operation, { query, body }, options, key, undefined));
  }

  async #perform(
    id: keyof Operations,
    input: AnyInput,
    options: CreateOptions | undefined,
    stop?: AbortSignal,
  ): Promise<Success> {
    const operation = operations[id];
    const { name, method, path, sendsIdempotencyKey } = operation;
    const given = sendsIdempotencyKey ? (options?.idempotencyKey ?? crypto.randomUUID()) : null;
    const givenKey = typeof given === "string" ? given : null;
    const call = { name, operation: id, method, path, idempotencyKey: givenKey };
    const known = sendsIdempotencyKey ? createOptionNames : callOptionNames;
    this.#check(id, () => checkArguments(input, options, known, call));
    const key = givenKey ?? (given && (await keyOf(given)));
    return send(this.#transport, this.#task(operation, input, options ?? {}, key, stop));
  }

  /** Checks the input of a call. A refusal counts as a failed call, so that the log has a line for it too. */
  #check(operation: string, check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#transport.observers.failed(operation, 0, error);
      throw error;
    }
  }

  #task(
    operation: Operation,
    input: AnyInput,
    options: CallOptions,
    idempotencyKey: string | null,
    stop: AbortSignal | undefined,
  ): Task {
    const settings = this.#settings;
    const { extraQuery, extraBody } = options;
    const headers = options.headers
      ? { ...settings.headers, ...lowerCased(options.headers) }
      : settings.headers;
    const settlement = this.#settlement(operation, input, headers);
    const query = extraQuery ? { ...input.query, ...extraQuery } : input.query;
    const body = JSON.stringify(
      extraBody ? { ...(input.body as object | undefined), ...extraBody } : input.body,
    );
    return {
      operation,
      path: this.#path(operation, input.params, query),
      headers: withOwn(headers, body, idempotencyKey),
      body,
      idempotencyKey,
      settlement,
      repeatable: idempotencyKey !== null || settlement !== null || isIdempotent(operation.method),
      timeoutMs: options.timeoutMs ?? settings.timeoutMs,
      totalTimeoutMs: options.totalTimeoutMs ?? settings.totalTimeoutMs,
      maxRetries: options.maxRetries ?? settings.maxRetries,
      signals: [options.signal, stop].filter((signal) => signal !== undefined),
    };
  }

  #settlement(
    { id }: Operation,
    { params }: AnyInput,
    headers: Readonly<Record<string, string>>,
  ): Settlement | null {
    const rule = id === "request" ? undefined : settlements[id];
    if (!rule) return null;
    const operation = operations[rule.read];
    const path = this.#path(operation, params);
    const { settles } = rule;
    return { operation, path, headers, settles };
  }

  /** Needs no escaping: the parameters have been checked to be letters and digits. */
  #path({ path }: Operation, params: AnyInput["params"], query?: AnyInput["query"]): string {
    let filled = path;
    for (const name in params) filled = filled.replace(`:${name}`, params[name] ?? "");
    return this.#settings.basePath + filled + (query ? queryString(query) : "");
  }
}

/** Adds the headers of this request alone. */
function withOwn(
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  idempotencyKey: string | null,
): Readonly<Record<string, string>> {
  if (body === undefined && idempotencyKey === null) return headers;
  const own: Record<string, string> = { ...headers };
  if (body !== undefined) own["content-type"] = "application/json";
  if (idempotencyKey !== null) own["idempotency-key"] = idempotencyKey;
  return own;
}

/** Whether a method is idempotent. */
function isIdempotent(method: HttpMethod): boolean {
  return method !== "POST" && method !== "PATCH";
}

function queryString(query: NonNullable<AnyInput["query"]>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
  return `?${new URLSearchParams(texts)}`;
}
