import { createRequire } from "node:module";
import { type Logger, pino } from "pino";
import type { build } from "pino-pretty";

/** The options of {@link createLogger}. */
export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: string;
  /** Whether lines are formatted for a terminal. Otherwise they are JSON. */
  readonly pretty: boolean;
}

const standardError = 2;

// Loaded only for a terminal, because a service starts faster without it.
function prettyStream() {
  const pretty: { build: typeof build } = createRequire(import.meta.url)("pino-pretty");
  return pretty.build({ colorize: true, destination: standardError });
}

/** The structured log, on standard error. Callers never pass a secret; the redaction is a second safeguard. */
export function createLogger({ level, pretty }: LogOptions): Logger {
  const options = {
    level,
    base: null,
    redact: ["*.authorization", "*.headers", "*.body", "*.key", "*.phone", "*.secretHash"],
  };
  if (pretty) return pino(options, prettyStream());
  return pino(options, pino.destination({ fd: standardError, sync: true }));
}
