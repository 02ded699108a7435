const texts = new WeakMap<object, string>();

/** Marks the body of an answer as one that is serialized already, so that it is sent as this text. */
export function serializedBody<Body extends object>(body: Body, text: string): Body {
  texts.set(body, text);
  return body;
}

/** The text of a body that is serialized already; undefined for any other. */
export function textOf(body: unknown): string | undefined {
  return typeof body === "object" && body !== null ? texts.get(body) : undefined;
}
