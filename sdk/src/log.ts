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
  /** A line for each call that succeeded, was refused or was aborted. */
  info?(message: string, fields: Fields): void;
  /** A line for each wait, and for a hook that failed. */
  warn(message: string, fields: Fields): void;
  /** A line for each call that failed because of the service, the network, or the key. */
  error?(message: string, fields: Fields): void;
}
