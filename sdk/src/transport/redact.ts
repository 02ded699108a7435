/** The shortest text to mask. Shorter texts are not secrets, and masking them would garble messages. */
const shortest = 16;

/** The depth to which an error is searched. */
const deepest = 4;

/** Masks secrets that a gateway or a `fetch` echoes. */
export class Redactor {
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter(({ length }) => length >= shortest);
  }

  /** A redactor with one more secret. */
  and(secret: string): Redactor {
    return new Redactor([...this.#secrets, secret]);
  }

  text(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, "[hidden]"), text);
  }

  headers(headers: Headers): Headers {
    return new Headers([...headers].map(([name, value]) => [name, this.text(value)]));
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
    return copy;
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
