import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** What is sent for a body: text, bytes in UTF-8, or `Encodings` for what is sent again and again. */
type Content = string | Uint8Array | Encodings;

/** Stands for a body that is serialized already. */
class SerializedBody {
  readonly content: Content;

  constructor(content: Content) {
    this.content = content;
  }
}

/** A body that is serialized to JSON already, so that this content is sent. It has no fields; see {@link fieldsOf}. */
export function serializedBody<Body extends object>(content: Content): Body {
  return new SerializedBody(content) as unknown as Body;
}

/** What a body was serialized to; undefined where it was not. */
export function contentOf(body: unknown): Content | undefined {
  return body instanceof SerializedBody ? body.content : undefined;
}

/** A body with its fields, serialized or not. */
export function fieldsOf(body: unknown): unknown {
  const content = contentOf(body);
  if (content === undefined) return body;
  if (typeof content === "string") return JSON.parse(content);
  const bytes = content instanceof Encodings ? content.chosen(() => false).bytes : content;
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** A text that is sent again and again, in each content coding that callers may take. Made once. */
export class Encodings {
  readonly #bytes: Readonly<Record<"br" | "gzip" | "identity", Buffer>>;

  constructor(text: string) {
    const identity = Buffer.from(text);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }; // the highest takes twenty times as long
    this.#bytes = {
      br: brotliCompressSync(identity, { params }),
      gzip: gzipSync(identity),
      identity,
    };
  }

  /** The bytes in the smallest coding that a caller takes; null stands for none. */
  chosen(takes: (coding: string) => boolean): { coding: string | null; bytes: Buffer } {
    const coding = (["br", "gzip"] as const).find((one) => takes(one));
    return { coding: coding ?? null, bytes: this.#bytes[coding ?? "identity"] };
  }
}
