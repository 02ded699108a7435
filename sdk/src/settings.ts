import { clientOptions, optionIssues, sentences } from "./arguments.js";
import { InvalidOptionError } from "./errors.js";
import { type LogLevel, logLevels, Observers } from "./log.js";
import type { AppInfo, QueueApiOptions } from "./options.js";
import type { Redactor } from "./redact.js";
import { abortable } from "./signals.js";
import { version } from "./version.js";

export const defaults = { timeoutMs: 10_000, totalTimeoutMs: 75_000, maxRetries: 3 } as const;

/** The options that are given. An undefined one counts as left out. */
export function given<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Options>;
}

type Given<Options> = { [Name in keyof Options]?: Exclude<Options[Name], undefined> };

/**
 * Checks the options of a client, as far as they are given.
 *
 * @throws {InvalidOptionError} An option is wrong, or the code runs in a browser. The message never shows the key.
 */
export function checkClientOptions(options: QueueApiOptions): void {
  const issues = optionIssues(options, clientOptions);
  if (issues.length > 0) throw new InvalidOptionError(sentences(issues));
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

/**
 * The key and the URL of a client. They are read at the first call, so that a module can create a client where
 * there is no secret, such as in a build.
 */
export class Credentials {
  readonly #options: Pick<QueueApiOptions, "apiKey" | "baseUrl">;
  readonly #redactor: Redactor;
  #baseUrl: string | undefined;
  #key: Promise<string> | undefined;

  constructor(options: Pick<QueueApiOptions, "apiKey" | "baseUrl">, redactor: Redactor) {
    this.#options = options;
    this.#redactor = redactor;
    if (typeof options.apiKey === "string") redactor.hide(options.apiKey);
  }

  /**
   * The service's URL, without a trailing slash.
   *
   * @throws {InvalidOptionError} It is missing or wrong.
   */
  get baseUrl(): string {
    if (this.#baseUrl) return this.#baseUrl;
    const given = this.#options.baseUrl ?? environmentVariable("QUEUE_API_BASE_URL");
    if (!given) {
      throw new InvalidOptionError(
        this.#apiKey
          ? "The base URL is missing: give baseUrl, or set QUEUE_API_BASE_URL."
          : "The API key and the base URL are missing: give apiKey and baseUrl, or set QUEUE_API_KEY and QUEUE_API_BASE_URL.",
      );
    }
    this.#baseUrl = readAddress(given);
    return this.#baseUrl;
  }

  /**
   * Waits for the key until the signal is aborted. After that, or an error, the next call asks for it again.
   *
   * @throws {InvalidOptionError} There is no valid key. An error of the function is rethrown unchanged.
   */
  async key(signal: AbortSignal): Promise<string> {
    this.#key ??= this.#readKey();
    const key = this.#key;
    try {
      return await abortable(key, signal);
    } catch (error) {
      if (this.#key === key) this.#key = undefined;
      throw error;
    }
  }

  /** Reads the key again after it was refused. Returns whether there is another. */
  async renewKey(refused: string, signal: AbortSignal): Promise<boolean> {
    if (typeof this.#options.apiKey !== "function") return false;
    const current = this.#key;
    if ((await this.key(signal)) === refused && this.#key === current) this.#key = undefined;
    return (await this.key(signal)) !== refused;
  }

  get #apiKey(): QueueApiOptions["apiKey"] {
    return this.#options.apiKey ?? environmentVariable("QUEUE_API_KEY");
  }

  async #readKey(): Promise<string> {
    const apiKey = this.#apiKey;
    const key =
      typeof apiKey === "function"
        ? checkKey(await apiKey(), "The function apiKey returned no key.")
        : checkKey(apiKey);
    this.#redactor.hide(key);
    return key;
  }
}

const noKey = "There is no API key: give apiKey, or set QUEUE_API_KEY.";

function checkKey(key: string | undefined, ifMissing = noKey): string {
  if (!key) throw new InvalidOptionError(ifMissing);
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw new InvalidOptionError(
      "The API key contains an invalid character, such as a space or a line break.",
    );
  }
  return key;
}

function readAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidOptionError(
      "baseUrl must be an address that begins with https:// or http://.",
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidOptionError("baseUrl must have no user, no query and no fragment.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
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

interface RuntimeGlobals {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly versions?: { readonly node?: string };
  };
  readonly window?: { readonly document?: unknown };
}

/** Whether the code runs in a browser, and not in Node with a document, as in tests of a page. */
function isBrowser(): boolean {
  const { window, process } = globalThis as RuntimeGlobals;
  return window?.document !== undefined && process?.versions?.node === undefined;
}

/** Deno denies access without a permission. The variable then counts as not set. */
function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as RuntimeGlobals).process?.env?.[name]?.trim();
  } catch {
    return undefined;
  }
}
