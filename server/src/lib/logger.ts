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

/** The bytes that wait for a full disk to have room. Later lines are lost. */
const maxUnwrittenBytes = 65_536;

/** The structured log, on standard error. Callers never pass a secret; the redaction is a second safeguard. */
export function createLogger({ level, pretty }: LogOptions): Logger {
  const options = {
    level,
    base: null,
    redact: ["*.authorization", "*.headers", "*.body", "*.key", "*.phone", "*.secretHash"],
  };
  if (pretty) return pino(options, prettyStream({ colorize: true, destination: standardError }));
  const lines = pino.destination({ fd: standardError, sync: true, maxLength: maxUnwrittenBytes });
  lines.on("error", () => {}); // on a full disk, lines are lost, and the service goes on
  return pino(options, lines);
}
