import { type HttpHandler, HttpResponse, http, type PathParams } from "msw";
import { checkOptions } from "../check-options.js";
import { operations } from "../generated/operations.js";
import { challenge, refusals, refusalsOf } from "../generated/refusals.js";
import type {
  Appointment,
  Entry,
  EntryWithPosition,
  ErrorDetail,
  Me,
  Operations,
  Queue,
  QueueSummary,
  Service,
} from "../generated/types.js";
import { type OptionNames, optionNames } from "../option-names.js";
import { type Problem, sentences } from "../problem.js";
import { type Changes, fakes } from "./fakes.js";

type OperationId = keyof Operations;

/** The errors that an operation can answer with. */
export type ErrorCodeOf<Id extends OperationId> = (typeof refusalsOf)[Id]["codes"][number];

/** The options of an answer. */
export interface AnswerOptions {
  /** Whether only the next request gets this answer. Default: all requests. */
  readonly once?: boolean;
}

/** The content of an error beyond its code. */
export interface ErrorOptions extends AnswerOptions {
  /** On `invalid_request`. Default: the phone number is required. */
  readonly details?: readonly ErrorDetail[];
  /** On `insufficient_scope`. Default: the scope that the operation requires. */
  readonly required?: readonly string[];
  /** On `rate_limited`, `too_many_failed_attempts` and `request_in_progress`. Default 30. */
  readonly retryAfterSeconds?: number;
}

/** The options of a list's answer. */
export interface ListOptions extends AnswerOptions {
  /** The cursor of the next page. Default null: this is the last page. */
  readonly nextCursor?: string | null;
}

/** The options of a creation's answer. */
export interface CreateOptions extends AnswerOptions {
  /** Whether the answer is the stored result of an earlier request. Default false. */
  readonly replay?: boolean;
}

/** Makes handlers of one operation: a success with these fields, or an error. */
export interface AnswerBuilder<Id extends OperationId, Input, Options> {
  (answer?: Input, options?: Options): HttpHandler;
  /**
   * An error that this operation can answer with, complete with its status and headers. Throws RangeError for
   * any other error code.
   */
  error(code: ErrorCodeOf<Id>, options?: ErrorOptions): HttpHandler;
}

const answerOptions = optionNames<AnswerOptions>({ once: true });
const listOptions = optionNames<Omit<ListOptions, "once">>({ nextCursor: true }, answerOptions);
const createOptions = optionNames<Omit<CreateOptions, "once">>({ replay: true }, answerOptions);
const errorOptions = optionNames<Omit<ErrorOptions, "once">>(
  { details: true, required: true, retryAfterSeconds: true },
  answerOptions,
);

/**
 * Refuses wrong options when the handler is created. A handler that fails at a request would look like a
 * failing service.
 *
 * @throws RangeError
 */
function refuseWrong(options: unknown, known: OptionNames): void {
  const problems: Problem[] = [];
  if (options !== undefined) checkOptions(options, known, problems);
  if (problems.length > 0) throw new RangeError(sentences(problems));
}

/**
 * Handlers for msw. Each gives one fixed answer, complete with the service's headers, to requests at any
 * base URL. An object's id defaults to the requested id. Unknown options throw RangeError.
 *
 * @example
 * server.use(queueApiHandlers.entries.create({ position: 3 }));
 * server.use(queueApiHandlers.entries.create.error("queue_paused", { once: true }));
 */
export const queueApiHandlers = {
  me: {
    get: one<"getMe", Changes<Me>>("getMe", fakes.me),
  },
  services: {
    list: many<"listServices", Changes<Service>>("listServices", fakes.service),
  },
  queues: {
    list: many<"listQueues", Changes<Queue>>("listQueues", fakes.queue),
    get: one<"getQueue", Changes<QueueSummary>>("getQueue", fakes.queueSummary, "queueId"),
  },
  entries: {
    list: many<"listEntries", Changes<Entry>>("listEntries", (changes, at) =>
      fakes.entry({ tokenNumber: at + 1, ...changes }),
    ),
    create: created(),
    get: one<"getEntry", Changes<EntryWithPosition>>(
      "getEntry",
      fakes.entryWithPosition,
      "entryId",
    ),
    cancel: one<"cancelEntry", Changes<Entry>>(
      "cancelEntry",
      (changes) => fakes.entry({ status: "CANCELED", ...changes }),
      "entryId",
    ),
  },
  appointments: {
    list: many<"listAppointments", Changes<Appointment>>("listAppointments", fakes.appointment),
    get: one<"getAppointment", Changes<Appointment>>(
      "getAppointment",
      fakes.appointment,
      "appointmentId",
    ),
  },
};

/** An answer with one object. `param`: the path parameter with its id. */
function one<Id extends OperationId, Input extends object>(
  id: Id,
  make: (changes: Input) => object,
  param?: string,
): AnswerBuilder<Id, Input, AnswerOptions> {
  return withErrors(id, answerOptions, (input = {} as Input, options) =>
    handler(id, options, (_base, params) => {
      const asked = param === undefined ? {} : { id: params[param] };
      return { status: operations[id].status, body: { data: make({ ...asked, ...input }) } };
    }),
  );
}

/** An answer with a list of objects, each with a distinct id. */
function many<Id extends OperationId, Input extends object>(
  id: Id,
  make: (changes: Input, at: number) => { readonly id: string },
): AnswerBuilder<Id, readonly Input[], ListOptions> {
  return withErrors(id, listOptions, (inputs = [{} as Input], options) => {
    const data = inputs.map((input, at) =>
      make({ id: numbered(make(input, at).id, at), ...input }, at),
    );
    const { nextCursor = null } = options ?? {};
    const { status, answer } = operations[id];
    const body = answer && "nextCursor" in answer ? { data, nextCursor } : { data };
    return handler(id, options, () => ({ status, body }));
  });
}

function created(): AnswerBuilder<"createEntry", Changes<EntryWithPosition>, CreateOptions> {
  return withErrors("createEntry", createOptions, (input = {}, options) =>
    handler("createEntry", options, (base) => {
      const data = fakes.entryWithPosition(input);
      const headers = {
        Location: `${base}/v1/entries/${data.id}`,
        ...(options?.replay && { "Idempotent-Replay": "true" }),
      };
      return { status: operations.createEntry.status, body: { data }, headers };
    }),
  );
}

function withErrors<Id extends OperationId, Input, Options>(
  id: Id,
  known: OptionNames,
  succeed: (input?: Input, options?: Options) => HttpHandler,
): AnswerBuilder<Id, Input, Options> {
  const answer = (input?: Input, options?: Options) => {
    refuseWrong(options, known);
    return succeed(input, options);
  };
  return Object.assign(answer, {
    error(code: ErrorCodeOf<Id>, options: ErrorOptions = {}) {
      refuseWrong(options, errorOptions);
      const codes: readonly string[] = refusalsOf[id].codes;
      if (!codes.includes(code)) {
        throw new RangeError(`${id} has no such error; its errors are ${codes.join(", ")}`);
      }
      return handler(id, options, (base, _params, requestId) =>
        refusal(id, code, options, base, requestId),
      );
    },
  });
}

interface Made {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function handler(
  id: OperationId,
  { once = false }: AnswerOptions = {},
  make: (base: string, params: PathParams, requestId: string) => Made,
): HttpHandler {
  const { method, path } = operations[id];
  const listen = method === "GET" ? http.get : http.post;
  return listen(
    `*${path}`,
    ({ request, params }) => {
      const requestId = crypto.randomUUID();
      const base = request.url.slice(0, request.url.indexOf("/v1/"));
      const { status, body, headers } = make(base, params, requestId);
      const limit = method === "GET" ? 120 : 30;
      const policy = ['"requests";q=120;w=60', '"writes";q=30;w=60'];
      if (method !== "GET") policy.reverse();
      return HttpResponse.json(body, {
        status,
        headers: {
          "X-Request-Id": requestId,
          "API-Version": "v1",
          "Cache-Control": "no-store",
          "Content-Type": "application/json; charset=utf-8",
          "RateLimit-Limit": `${limit}`,
          "RateLimit-Remaining": `${limit - 1}`,
          "RateLimit-Reset": "60",
          "RateLimit-Policy": policy.join(", "),
          ...headers,
        },
      });
    },
    { once },
  );
}

function refusal(
  id: OperationId,
  code: keyof typeof refusals,
  options: ErrorOptions,
  base: string,
  requestId: string,
): Made {
  const { status, message, headers } = refusals[code];
  const { scope } = refusalsOf[id];
  const { retryAfterSeconds = 30 } = options;
  const { details = [{ field: "phone", message: "is required" }] } = options;
  const { required = scope === null ? [] : [scope] } = options;
  const own: Readonly<Record<string, string>> = {
    "Retry-After": `${retryAfterSeconds}`,
    "WWW-Authenticate": challenge,
  };
  return {
    status,
    body: {
      error: {
        code,
        message,
        requestId,
        docUrl: `${base}/docs/errors#${code}`,
        ...(code === "invalid_request" && { details }),
        ...(code === "insufficient_scope" && { required }),
      },
    },
    headers: {
      ...Object.fromEntries(headers.map((name) => [name, own[name] ?? ""])),
      ...(code === "rate_limited" && {
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": `${retryAfterSeconds}`,
      }),
    },
  };
}

/** The id of a list item: `id` for the first, and a distinct id for each other item. */
function numbered(id: string, at: number): string {
  return at === 0 ? id : `${id.slice(0, -4)}${String(at).padStart(4, "0")}`;
}
