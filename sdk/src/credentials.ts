import { environmentVariable } from "./environment.js";
import { InvalidOptionError } from "./errors.js";
import type { QueueApiOptions } from "./options.js";
import type { Redactor } from "./redact.js";
import { abortable } from "./signals.js";

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

  /** The service's URL, without a trailing slash. Throws if it is missing or wrong. */
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

export function checkKey(key: string | undefined, ifMissing = noKey): string {
  if (!key) throw new InvalidOptionError(ifMissing);
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw new InvalidOptionError(
      "The API key contains an invalid character, such as a space or a line break.",
    );
  }
  return key;
}

export function readAddress(given: string): string {
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
