import { brotliCompressSync, constants, gzipSync } from "node:zlib";

type Coding = "br" | "gzip" | "identity";

const encoders: Readonly<Record<Coding, (plain: Buffer) => Buffer>> = {
  // Not the highest quality, because other requests wait meanwhile.
  br: (plain) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (plain) => gzipSync(plain),
  identity: (plain) => plain,
};

/** A content that is sent repeatedly, in each content coding. A coding is computed when it is first chosen. */
export class Encodings {
  readonly plain: Buffer;
  readonly #known: Partial<Record<Coding, Buffer>>;

  constructor(plain: string | Buffer) {
    this.plain = Buffer.from(plain);
    this.#known = { identity: this.plain };
  }

  /** The bytes in the smallest coding that a request accepts, and its name. */
  chosenFor(req: { acceptsEncodings(coding: string): string | false }) {
    const coding = (["br", "gzip"] as const).find((one) => req.acceptsEncodings(one)) ?? "identity";
    this.#known[coding] ??= encoders[coding](this.plain);
    return { bytes: this.#known[coding], coding };
  }
}
