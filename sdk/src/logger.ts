import type { ResponseEvent, WaitEvent } from "./hooks.js";

/** The log levels. A level includes the lines of the levels before it. */
export const logLevels = ["off", "error", "warn", "info", "debug"] as const;

/** A log level. */
export type LogLevel = (typeof logLevels)[number];

type Fields = Readonly<Record<string, unknown>>;

/**
 * The destination of log lines: `console`, a winston logger, or a pino logger, which gets the fields first.
 * Lines of a level without a method are dropped.
 */
export interface Logger {
  /** A line for each attempt. */
  debug(message: string, fields: Fields): void;
  /** A line for each completed call. */
  info?(message: string, fields: Fields): void;
  /** A line for each wait, and for a hook that failed. */
  warn(message: string, fields: Fields): void;
  /** A line for each call that failed because of the service or the network. */
  error?(message: string, fields: Fields): void;
}

/** Writes the lines up to a level. */
export class Log {
  readonly #logger: Logger;
  readonly #last: number;

  constructor(logger: Logger, level: LogLevel) {
    this.#logger = logger;
    this.#last = logLevels.indexOf(level);
  }

  write(level: keyof Logger, message: string, fields: Fields): void {
    if (logLevels.indexOf(level) > this.#last) return;
    const line = `queue-api: ${message}`;
    if (isPino(this.#logger)) this.#logger[level]?.(fields, line);
    else this.#logger[level]?.(line, fields);
  }

  attempt({ callId, attempt, operation, method, url, status, requestId, ...event }: ResponseEvent) {
    const durationMs = Math.round(event.durationMs);
    const what = event.error?.message ?? `${operation}: ${status}`;
    this.write("debug", `${what} (attempt ${attempt}, ${durationMs} ms)`, {
      ...{ callId, attempt, operation, method, url, status, requestId, durationMs },
      ...(event.error && { error: event.error.name }),
    });
  }

  wait({ callId, attempt, operation, reason, error, ...event }: WaitEvent, why: string): void {
    const waitMs = Math.round(event.waitMs);
    const fields = { callId, attempt, operation, reason, waitMs };
    const { status, code, requestId } = (error ?? {}) as Fields;
    const failure = error && { error: error.name, status, code, requestId };
    this.write("warn", `${why} Attempt ${attempt} follows in ${waitMs} ms.`, {
      ...fields,
      ...failure,
    });
  }
}

/** pino takes the fields before the message, and would drop fields that come after it. */
function isPino(logger: Logger | PinoLogger): logger is PinoLogger {
  return "bindings" in logger && typeof logger.bindings === "function";
}

type PinoLogger = { readonly bindings: unknown } & {
  readonly [Level in keyof Logger]?: (fields: Fields, message: string) => void;
};
