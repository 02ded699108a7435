import type { Hooks } from "./hooks.js";

/** Which lines are written: those of a level and of the levels before it. */
export const logLevels = ["off", "error", "warn", "info", "debug"] as const;

/** The last level whose lines are written. */
export type LogLevel = (typeof logLevels)[number];

/** Where log lines go; `console` is one. Lines of a level that it has no function for are left out. */
export interface Logger {
  /** A line for each attempt. */
  debug(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for each call that has ended. */
  info?(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for each retry, and for a hook that failed. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for each call that failed because of the service or the network. */
  error?(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A logger that leaves out what is beyond a level; null where nothing is left. */
export function atLevel(logger: Logger, level: LogLevel): Logger | null {
  if (level === "off") return null;
  const last = logLevels.indexOf(level);
  const write =
    (name: keyof Logger) => (message: string, fields: Readonly<Record<string, unknown>>) => {
      if (logLevels.indexOf(name) <= last) logger[name]?.(message, fields);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** Writes a line for each attempt that ended and for each retry. */
export function logging(logger: Logger): Hooks {
  return {
    onResponse: ({
      callId,
      attempt,
      operation,
      method,
      url,
      status,
      requestId,
      durationMs,
      error,
    }) =>
      logger.debug(`queue-api: ${operation} ${status ?? "got no answer"}`, {
        ...{ callId, attempt, operation, method, url, status, requestId },
        durationMs: Math.round(durationMs),
        ...(error && { error: error.name }),
      }),
    onRetry: ({ callId, attempt, operation, reason, waitMs }) =>
      logger.warn(`queue-api: ${operation} will be tried again`, {
        ...{ callId, attempt, operation, reason },
        waitMs: Math.round(waitMs),
      }),
  };
}
