import type { Encodings } from "./encodings.js";

const serialized = new WeakMap<object, string | Encodings>();

/**
 * Marks the body of an answer as one that is serialized already, so that it is sent as this text. `Encodings` are for
 * what is sent again and again: answers that wait to be sent share their bytes.
 */
export function serializedBody<Body extends object>(body: Body, content: string | Encodings): Body {
  serialized.set(body, content);
  return body;
}

/** What a body was serialized to; undefined where it was not. */
export function contentOf(body: unknown): string | Encodings | undefined {
  return typeof body === "object" && body !== null ? serialized.get(body) : undefined;
}
