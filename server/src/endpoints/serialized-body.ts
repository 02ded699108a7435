import { brotliCompressSync, constants, gzipSync } from "node:zlib";

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
