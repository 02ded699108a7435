import { brotliCompressSync, constants, gzipSync } from "node:zlib";

type Coding = "br" | "gzip" | "identity";

const encoders: Readonly<Record<Coding, (plain: Buffer) => Buffer>> = {
  // Not the highest quality, because other requests wait meanwhile.
  br: (plain) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (plain) => gzipSync(plain),
  identity: (plain) => plain,
};

/** How long browsers keep a file whose name has a hash of its content. */
export const forAYear = "public, max-age=31536000, immutable";

/** A content that is sent repeatedly, in each content coding. A coding is computed when it is first chosen. */
export class Encodings {
  readonly #known: Partial<Record<Coding, Buffer>> = {};

  constructor(readonly plain: Buffer) {}

  /** The bytes in the smallest coding that a request accepts, and the headers of this choice. */
  chosenFor(req: { acceptsEncodings(coding: string): string | false }) {
    const coding = (["br", "gzip"] as const).find((one) => req.acceptsEncodings(one)) ?? "identity";
    this.#known[coding] ??= encoders[coding](this.plain);
    const headers = coding === "identity" ? {} : { "Content-Encoding": coding };
    return { bytes: this.#known[coding], headers };
  }
}
