import type { SenderSettings } from "./api-sender.js";
import { checkOptions, optionProblem } from "./check-options.js";
import { QueueApiError } from "./errors.js";
import { lowerCased } from "./headers.js";
import type { Hooks } from "./hooks.js";
import { atLevel, type Logger, type LogLevel, logLevels } from "./logger.js";
import { optionNames, unknownOption } from "./option-names.js";
import { type AppInfo, defaults, type QueueApiOptions } from "./options.js";
import { isObject, type Problem, sentences } from "./problem.js";
import { version } from "./version.js";

/** The resolved options of a client. */
export interface Settings extends SenderSettings {
  readonly apiKey: string;
  /** The service's URL, without a trailing slash. */
  readonly baseUrl: string;
  /** The part of the URL before the path. */
  readonly origin: string;
  /** Null if nothing is logged. */
  readonly logger: Logger | null;
}

/**
 * Reads the options, with the environment as the default.
 *
 * @throws {QueueApiError} Something is missing or wrong. The message never shows the key.
 */
export function readSettings(options: QueueApiOptions): Settings {
  refuseWrong(options);
  if (isBrowser() && !options.dangerouslyAllowBrowser) {
    throw new QueueApiError(
      "The Queue API is for servers: in a browser anybody can read the key. If that is truly meant, set dangerouslyAllowBrowser.",
    );
  }
  const apiKey = readKey(options.apiKey ?? environmentVariable("QUEUE_API_KEY"));
  const address = readAddress(options.baseUrl ?? environmentVariable("QUEUE_API_BASE_URL"));
  return {
    apiKey,
    ...address,
    baseUrl: address.origin + address.basePath,
    logger: readLogger(options),
    headers: {
      "user-agent": userAgent(options.appInfo),
      ...lowerCased(options.headers ?? {}),
      accept: "application/json",
      authorization: `Bearer ${apiKey}`,
    },
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
    totalTimeoutMs: options.totalTimeoutMs ?? defaults.totalTimeoutMs,
    maxRetries: options.maxRetries ?? defaults.maxRetries,
  };
}

const clientOptionNames = optionNames<QueueApiOptions>({
  apiKey: true,
  baseUrl: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  headers: true,
  pacing: true,
  fetch: true,
  hooks: true,
  logger: true,
  logLevel: true,
  appInfo: true,
  dangerouslyAllowBrowser: true,
});

const hookNames = optionNames<Hooks>({ onRequest: true, onResponse: true, onRetry: true });

function refuseWrong(options: QueueApiOptions): void {
  const problems: Problem[] = [];
  checkOptions(options, clientOptionNames, problems);
  if (isObject(options)) checkFunctions(options, problems);
  if (problems.length > 0) throw new QueueApiError(sentences(problems));
}

/** Checks that callbacks are functions. Otherwise the mistake would first show at a later call. */
function checkFunctions(options: QueueApiOptions, problems: Problem[]): void {
  const { fetch, logger, hooks } = options;
  const add = (name: string, message: string) => problems.push(optionProblem(name, message));
  if (fetch && typeof fetch !== "function") add("fetch", "must be a function");
  if (logger && !(has(logger, "debug") && has(logger, "warn"))) {
    add("logger", "must have the functions debug and warn");
  }
  for (const one of [hooks ?? []].flat()) checkHooks(one, add);
}

/** An observer may have other properties, but a property whose name begins with `on` must be a known hook. */
function checkHooks(hooks: unknown, add: (name: string, message: string) => void): void {
  const given = isObject(hooks) ? hooks : {};
  const called = [...hookNames].every((name) => !given[name] || has(given, name));
  if (!isObject(hooks) || !called) add("hooks", "must hold functions");
  for (const name of Object.keys(given)) {
    if (!/^on/i.test(name) || hookNames.has(name) || given[name] === undefined) continue;
    add(`hooks.${name}`, unknownOption(name, hookNames));
  }
}

/** The logger at its level; a level alone logs to the console. */
function readLogger({ logger, logLevel }: QueueApiOptions): Logger | null {
  const level = logLevel ?? levelOfEnvironment() ?? (logger ? "debug" : "off");
  return atLevel(logger ?? console, level);
}

/** An unknown level causes a warning and is ignored: it must not stop a program that needs no log. */
function levelOfEnvironment(): LogLevel | undefined {
  const word = environmentVariable("QUEUE_API_LOG");
  const level = logLevels.find((one) => one === word);
  if (word && !level) {
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

function has(given: object, name: string): boolean {
  return typeof (given as Readonly<Record<string, unknown>>)[name] === "function";
}

function readKey(key: string | undefined): string {
  if (!key) throw new QueueApiError("There is no API key: give apiKey, or set QUEUE_API_KEY.");
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw new QueueApiError("The API key has characters that no key has: a space or a line break?");
  }
  return key;
}

function readAddress(given: string | undefined): Pick<Settings, "origin" | "basePath"> {
  if (!given) {
    throw new QueueApiError("There is no address: give baseUrl, or set QUEUE_API_BASE_URL.");
  }
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new QueueApiError("baseUrl must be an address that begins with https:// or http://.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new QueueApiError("baseUrl must have no user, no query and no fragment.");
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "") };
}

interface RuntimeGlobals {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  readonly window?: { readonly document?: unknown };
}

function isBrowser(): boolean {
  return (globalThis as RuntimeGlobals).window?.document !== undefined;
}

/** Deno denies access without a permission. The variable then counts as not set. */
function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as RuntimeGlobals).process?.env?.[name]?.trim();
  } catch {
    return undefined;
  }
}
