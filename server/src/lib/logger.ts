import { type Logger, pino } from "pino";
import { build as prettyStream } from "pino-pretty";

/** The options of {@link createLogger}. */
export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: string;
  /** Whether lines are formatted for a terminal. Otherwise they are JSON. */
  readonly pretty: boolean;
}

const standardError = 2;

/** The structured log, on standard error. Callers never pass a secret; the redaction is a second safeguard. */
export function createLogger({ level, pretty }: LogOptions): Logger {
  const options = {
    level,
    base: null,
    redact: ["*.authorization", "*.headers", "*.body", "*.key", "*.phone", "*.secretHash"],
  };
  if (pretty) return pino(options, prettyStream({ colorize: true, destination: standardError }));
  const lines = pino.destination({ fd: standardError, sync: true });
  lines.on("error", () => {}); // on a full disk, a line is lost, and the service goes on
  return pino(options, lines);
}
