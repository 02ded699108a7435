import { meaningOf } from "./network-codes.js";

/** The shortest key to mask. Shorter ones are no keys of the service, and masking them would garble messages. */
const minKeyLength = 16;

/** The shortest text and number of a body to mask. */
const minTextLength = 3;
const minDigits = 8;

/** The depth to which the causes of an error are read: they can form a circle. */
export const deepest = 4;

/** Headers of an error: a log in JSON shows them, and a web framework that catches the error sends none of them. */
class ErrorHeaders extends Headers {
  constructor(headers: [name: string, value: string][]) {
    super(headers);
    // Koa sends each property that a loop finds. Without this, it finds the methods, and its process ends.
    for (const name in this) Object.defineProperty(this, name, { value: this[name] });
  }

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
    if (key.length >= minKeyLength && !this.#secrets.includes(key)) this.#secrets.push(key);
  }

  /** A redactor that masks a JSON body and its texts too. */
  andBody(body: string | undefined): Redactor {
    if (body === undefined) return this;
    const texts: string[] = [body];
    JSON.parse(body, (_, value) => {
      if (typeof value !== "string" || value.length < minTextLength) return value;
      texts.push(value);
      const digits = value.replaceAll(/\D/g, ""); // as the service stores a phone number
      if (digits.length >= minDigits) texts.push(digits);
      return value;
    });
    // Also as part of a body, and of a body that is itself quoted in JSON. A text can contain another one.
    const forms = texts.flatMap((text) => [text, escaped(text), escaped(escaped(text))]);
    return new Redactor([...this.#secrets, ...forms.sort((a, b) => b.length - a.length)]);
  }

  text(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, "[hidden]"), text);
  }

  headers(headers: Headers): Headers {
    return new ErrorHeaders([...headers].map(([name, value]) => [name, this.text(value)]));
  }

  /**
   * A copy of a cause that is safe to expose: an error's name, message, code, stack and causes, or a text, with the secrets
   * masked. Anything else that a `fetch` attaches to its errors can hold a secret, and is left out.
   */
  cause(cause: unknown, depth = deepest): unknown {
    if (typeof cause === "string") return this.text(cause);
    if (!isErrorLike(cause) || depth === 0) return undefined;
    const { name, message, stack, code, errors } = cause;
    const inner = this.cause(cause.cause, depth - 1);
    const ErrorClass = cause instanceof TypeError ? TypeError : Error;
    const copy = new ErrorClass(this.text(message), inner === undefined ? {} : { cause: inner });
    for (const [field, text] of Object.entries({ name, stack, code })) {
      if (typeof text !== "string") continue;
      const isKnown = field === "code" && meaningOf(text) !== null; // a short name can be a part of it
      Object.assign(copy, { [field]: isKnown ? text : this.text(text) });
    }
    if (!Array.isArray(errors)) return copy;
    return Object.assign(copy, { errors: errors.map((one) => this.cause(one, depth - 1)) });
  }
}

interface ErrorLike extends Pick<Error, "name" | "message" | "stack" | "cause"> {
  readonly code?: unknown;
  readonly errors?: unknown;
}

/** Whether this is an error, also one of another realm, as in jest. */
function isErrorLike(value: unknown): value is ErrorLike {
  return typeof (value as Partial<ErrorLike> | null | undefined)?.message === "string";
}

/** A text as it stands in JSON. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
