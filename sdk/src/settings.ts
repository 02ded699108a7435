import { checkOptions, clientOptions } from "./arguments.js";
import { checkKey, readAddress } from "./credentials.js";
import { environmentVariable, isBrowser } from "./environment.js";
import { InvalidOptionError } from "./errors.js";
import { version } from "./generated/version.js";
import { logLevels, Observers } from "./observers.js";
import type { AppInfo, LogLevel, QueueApiOptions } from "./options.js";

export const defaults = { timeoutMs: 10_000, totalTimeoutMs: 75_000, maxRetries: 3 } as const;

/** Refuses wrong options of a client, as far as they are given, and a browser. No message shows the key. */
export function checkClientOptions(options: QueueApiOptions): void {
  checkOptions(options, clientOptions);
  const { apiKey, baseUrl } = options;
  if (apiKey !== undefined && typeof apiKey !== "function") checkKey(apiKey);
  if (baseUrl !== undefined) readAddress(baseUrl);
  if (isBrowser()) {
    throw new InvalidOptionError(
      "The Queue API is for servers: in a browser anybody can read the key. Call it from your server.",
    );
  }
}

/** The headers of every request; names in lower case. */
export function clientHeaders({ appInfo, headers }: QueueApiOptions): Record<string, string> {
  return { "user-agent": userAgent(appInfo), ...lowerCased(headers), accept: "application/json" };
}

/** The hooks and the log of a client. A level alone logs to the console. */
export function readObservers({ hooks = [], logger, logLevel }: QueueApiOptions): Observers {
  const level = logLevel ?? levelOfEnvironment() ?? (logger ? "debug" : "off");
  return new Observers([hooks].flat(), level === "off" ? null : (logger ?? console), level);
}

/** Headers with lower-case names, so that no name occurs twice. */
export function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** The unknown level that was reported, once for all clients. */
let reported: string | undefined;

/** An unknown level causes a warning and is ignored: it must not stop a program that needs no log. */
function levelOfEnvironment(): LogLevel | undefined {
  const word = environmentVariable("QUEUE_API_LOG");
  const level = logLevels.find((one) => one === word);
  if (word && !level && word !== reported) {
    reported = word;
    console.warn(`queue-api: QUEUE_API_LOG must be one of ${logLevels.join(", ")}`);
  }
  return level;
}

function userAgent(appInfo: AppInfo | undefined): string {
  const own = `queue-api-sdk/${version}`;
  if (!appInfo) return own;
  const { name, version: of } = appInfo;
  return of === undefined ? `${own} ${name}` : `${own} ${name}/${of}`;
}
