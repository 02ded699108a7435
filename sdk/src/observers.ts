import {
  AbortError,
  type ApiError,
  AuthenticationError,
  PermissionError,
  QueueApiError,
  UnexpectedResponseError,
} from "./errors.js";
import type { Hooks, ResponseEvent, WaitEvent } from "./hooks.js";
import type { CallFacts } from "./operation.js";
import type { Logger, LogLevel } from "./options.js";

/** A level includes the lines of the levels before it. */
export const logLevels: readonly LogLevel[] = ["off", "error", "warn", "info", "debug"];

type Fields = Parameters<Logger["debug"]>[1];

/** A call that has ended. */
interface EndedCall extends CallFacts {
  /** Null if nothing was sent. */
  readonly callId: number | null;
  readonly attempts: number;
  readonly durationMs: number;
}

/** Notifies the hooks of a client, and writes its log. */
export class Observers {
  readonly #hooks: readonly Hooks[];
  readonly #logger: Logger | null;
  readonly #level: number;

  /** @param logger - Null for no log. */
  constructor(hooks: readonly Hooks[], logger: Logger | null, level: LogLevel) {
    const ownLog: Hooks = { onResponse: (event) => this.#attempt(event) };
    this.#hooks = logger ? [...hooks, ownLog] : hooks;
    this.#logger = logger;
    this.#level = logLevels.indexOf(level);
  }

  succeeded(call: EndedCall, status: number, requestId: string | null): void {
    const durationMs = Math.round(call.durationMs);
    const message = `${call.operation}: ${status} in ${durationMs} ms`;
    this.#write("info", message, { ...fieldsOf(call), status, requestId });
  }

  /** Logs a failed call. The thrown value may come from a custom `fetch`, and be anything. */
  failed(call: EndedCall, thrown: unknown): void {
    const known = thrown instanceof QueueApiError ? thrown : null;
    const message = known?.message ?? `${call.operation} failed`;
    this.#write(known && isForOperator(known) ? "error" : "info", message, {
      ...fieldsOf(call),
      error: kindOf(thrown),
      ...answerOf(known),
    });
  }

  /** Tells the hooks and the log of a wait. `why`: a sentence for the log. */
  waits(event: WaitEvent, why: string): void {
    this.notify("onWait", (hooks) => hooks.onWait?.(event));
    const { callId, attempt, operation, reason, error } = event;
    const waitMs = Math.round(event.waitMs);
    this.#write("warn", `${why} Attempt ${attempt} follows in ${waitMs} ms.`, {
      callId,
      attempt,
      operation,
      reason,
      waitMs,
      ...(error && { error: error.name, ...answerOf(error) }),
    });
  }

  /** @param call - Calls the hook of an observer, if it has one. */
  notify(name: keyof Hooks, call: (hooks: Hooks) => unknown): void {
    for (const hooks of this.#hooks) {
      const called = (async () => call(hooks))();
      called.catch((error: unknown) =>
        this.#write("warn", `the hook ${name} failed`, { error: kindOf(error) }),
      );
    }
  }

  #attempt({ error, route: _, ...event }: ResponseEvent) {
    const durationMs = Math.round(event.durationMs);
    const what = error?.message ?? `${event.operation}: ${event.status}`;
    this.#write("debug", `${what} (attempt ${event.attempt}, ${durationMs} ms)`, {
      ...event,
      durationMs,
      ...(error && { error: error.name }),
    });
  }

  #write(level: keyof Logger, message: string, fields: Fields): void {
    if (logLevels.indexOf(level) > this.#level || !this.#logger) return;
    const line = `queue-api: ${message}`;
    try {
      if (isPino(this.#logger)) this.#logger[level]?.(fields, line);
      else this.#logger[level]?.(line, fields);
    } catch {
      // There is no other place to report that a logger failed, and the call has its own result.
    }
  }
}

/** Whether an error concerns the operator of the program: the service, the network or the key failed. */
function isForOperator(error: QueueApiError): boolean {
  const lasting = [AuthenticationError, PermissionError, UnexpectedResponseError];
  if (lasting.some((errorClass) => error instanceof errorClass)) return true;
  return error.isRetryable && !(error instanceof AbortError);
}

/** What the response of a failed attempt says; null where there is none. */
function answerOf(error: QueueApiError | null): Fields {
  const answer: Partial<ApiError> = error ?? {};
  const { status = null, code = null, requestId = null } = answer;
  return { status, code, requestId };
}

function fieldsOf(call: EndedCall): Fields {
  const { callId, operation, attempts, params, idempotencyKey } = call;
  return {
    callId,
    operation,
    attempts,
    ...params,
    ...(idempotencyKey !== null && { idempotencyKey }),
    durationMs: Math.round(call.durationMs),
  };
}

/** pino takes the fields before the message, and would drop fields that come after it. */
function isPino(logger: Logger | PinoLogger): logger is PinoLogger {
  return "bindings" in logger && typeof logger.bindings === "function";
}

type PinoLogger = { readonly bindings: unknown } & {
  readonly [Level in keyof Logger]?: (fields: Fields, message: string) => void;
};

/** The name of a thrown value in a log line. Never its message, which may contain anything. */
function kindOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
