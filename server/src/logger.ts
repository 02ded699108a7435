import { type Logger, pino } from "pino";
import { build as prettyStream } from "pino-pretty";

/** Where log lines go. */
export interface LogOptions {
  /** Least level that is written. */
  readonly level: string;
  /** Lines for people when they read along on a terminal, JSON for everything else. */
  readonly pretty: boolean;
}

const standardError = 2;

/**
 * The structured log, on standard error. What may hold a secret is never handed to it; the redaction is
 * a second fence.
 */
export function createLogger({ level, pretty }: LogOptions): Logger {
  const options = {
    level,
    base: null,
    redact: ["*.authorization", "*.headers", "*.body", "*.key", "*.phone", "*.secretHash"],
  };
  if (pretty) return pino(options, prettyStream({ colorize: true, destination: standardError }));
  return pino(options, pino.destination({ fd: standardError, sync: true }));
}
