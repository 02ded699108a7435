import type { Hooks } from "./hooks.js";

/** The log levels. A level includes the lines of the levels before it. */
export const logLevels = ["off", "error", "warn", "info", "debug"] as const;

/** A log level. */
export type LogLevel = (typeof logLevels)[number];

/** The destination of log lines, such as `console`. Lines of a level without a method are dropped. */
export interface Logger {
  /** A line for each attempt. */
  debug(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for each completed call. */
  info?(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for each retry, and for a hook that failed. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** A line for each call that failed because of the service or the network. */
  error?(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A logger without the lines above a level; null if no lines remain. */
export function atLevel(logger: Logger, level: LogLevel): Logger | null {
  if (level === "off") return null;
  const last = logLevels.indexOf(level);
  const write =
    (name: keyof Logger) => (message: string, fields: Readonly<Record<string, unknown>>) => {
      if (logLevels.indexOf(name) <= last) logger[name]?.(message, fields);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** Writes a line for each completed attempt and for each retry. */
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
