/** The shortest key to mask. Shorter ones are no keys of the service, and masking them would garble messages. */
const shortestKey = 16;

/** The shortest text and number of a body to mask. */
const shortestField = 3;
const shortestNumber = 8;

/** The depth to which an error is searched. */
const deepest = 4;

/** Headers that a log in JSON can show. */
class LoggableHeaders extends Headers {
  toJSON(): Record<string, string> {
    return Object.fromEntries(this);
  }
}

/** Masks secrets that a gateway or a `fetch` echoes. */
export class Redactor {
  readonly #secrets: string[];

  constructor(secrets: readonly string[] = []) {
    this.#secrets = [...secrets];
  }

  hide(key: string): void {
    if (key.length >= shortestKey && !this.#secrets.includes(key)) this.#secrets.push(key);
  }

  /** A redactor that masks a JSON body and its texts too. */
  andBody(body: string | undefined): Redactor {
    if (body === undefined) return this;
    const texts: string[] = [body];
    JSON.parse(body, (_, value) => {
      if (typeof value !== "string" || value.length < shortestField) return value;
      texts.push(value);
      const digits = value.replaceAll(/\D/g, ""); // as the service stores a phone number
      if (digits.length >= shortestNumber) texts.push(digits);
      return value;
    });
    return new Redactor([...this.#secrets, ...texts]);
  }

  text(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, "[hidden]"), text);
  }

  headers(headers: Headers): Headers {
    return new LoggableHeaders([...headers].map(([name, value]) => [name, this.text(value)]));
  }

  /**
   * A cause that is safe to expose: the same object if it contains no secret, else a copy of its name and
   * message with the secrets masked.
   */
  cause(cause: unknown): unknown {
    if (!this.#isHeldBy(cause, deepest)) return cause;
    if (!(cause instanceof Error)) return undefined;
    const inner = cause.cause === undefined ? undefined : this.cause(cause.cause);
    const copy = new Error(this.text(cause.message), inner === undefined ? {} : { cause: inner });
    copy.name = this.text(cause.name);
    const { code } = cause as { readonly code?: unknown };
    return typeof code === "string" ? Object.assign(copy, { code: this.text(code) }) : copy;
  }

  #isHeldBy(value: unknown, depth: number): boolean {
    if (typeof value === "string") return this.#secrets.some((secret) => value.includes(secret));
    if (typeof value !== "object" || value === null || depth === 0) return false;
    if (value instanceof Headers) return this.#isHeldBy([...value.values()], depth);
    if (value instanceof Request) return this.#isHeldBy(value.headers, depth);
    const parts = Object.getOwnPropertyNames(value).map(
      (name) => Object.getOwnPropertyDescriptor(value, name)?.value as unknown,
    );
    return parts.some((part) => this.#isHeldBy(part, depth - 1));
  }
}
