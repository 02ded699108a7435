const serialized = new WeakMap<object, string | Buffer>();

/**
 * Marks the body of an answer as one that is serialized already, so that it is sent as this text. A `Buffer` is for
 * what is sent again and again: answers that wait to be sent share its bytes.
 */
export function serializedBody<Body extends object>(body: Body, content: string | Buffer): Body {
  serialized.set(body, content);
  return body;
}

/** What a body was serialized to; undefined where it was not. */
export function contentOf(body: unknown): string | Buffer | undefined {
  return typeof body === "object" && body !== null ? serialized.get(body) : undefined;
}
