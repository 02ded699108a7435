import { Encodings } from "../lib/encodings.js";

/** The content of a body: text, bytes in UTF-8, or `Encodings` for content that is sent repeatedly. */
type Content = string | Uint8Array | Encodings;

/** A body that is already serialized. */
class SerializedBody {
  readonly content: Content;

  constructor(content: Content) {
    this.content = content;
  }
}

/**
 * A body that is already serialized to JSON. The content is sent unchanged. It has no fields; see
 * {@link fieldsOf}.
 */
export function serializedBody<Body extends object>(content: Content): Body {
  return new SerializedBody(content) as unknown as Body;
}

/** The serialized content of a body; undefined if the body is not serialized. */
export function contentOf(body: unknown): Content | undefined {
  return body instanceof SerializedBody ? body.content : undefined;
}

/** The fields of a body, serialized or not. */
export function fieldsOf(body: unknown): unknown {
  const content = contentOf(body);
  if (content === undefined) return body;
  if (typeof content === "string") return JSON.parse(content);
  const bytes = content instanceof Encodings ? content.plain : content;
  return JSON.parse(new TextDecoder().decode(bytes));
}
