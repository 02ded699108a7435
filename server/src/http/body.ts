import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from "node:zlib";
import { limits, type routes } from "@queue-api/contract";
import type { TsRestRequestHandler } from "@ts-rest/express";
import { parse as parseContentType } from "content-type";
import type { Response } from "express";
import getRawBody from "raw-body";
import { repeatedFields } from "../lib/repeated-fields.js";
import { ApiError, invalidField } from "../rules/api-error.js";
import { contextOf } from "./context.js";
import { safeName } from "./leaked-keys.js";
import { timesSent } from "./request-headers.js";

/** What a body contains, and the stream that decompressed it. */
interface Inflated {
  readonly buffer: Buffer;
  /** `bytesWritten`: how many bytes of the body the stream has used. */
  readonly engine: { readonly bytesWritten: number };
}

type Inflater = (body: Buffer, options: ZlibOptions) => Promise<Inflated>;

/**
 * What decompresses a body, by its encoding. A Map, because a header may name a property of every object. The types of
 * Node do not know the result with `info`.
 */
const inflaters: ReadonlyMap<string, Inflater> = new Map([
  ["gzip", promisify(gunzip) as unknown as Inflater],
  ["deflate", promisify(inflate) as unknown as Inflater],
  ["br", promisify(brotliDecompress) as unknown as Inflater],
]);

/**
 * Whether a request has a body. One in chunks can be empty, which is known when its first bytes or its end arrive, so a
 * client that waits for `100 Continue` gets it before its headers are checked.
 */
async function hasBody(req: IncomingMessage, res: Response): Promise<boolean> {
  if (req.headers["transfer-encoding"] === undefined) {
    return Number(req.headers["content-length"] ?? 0) > 0;
  }
  if (!req.complete && req.readableLength === 0) {
    if (req.destroyed) throw incomplete(); // a destroyed request emits neither `readable` nor `error` again
    await arrival(res, once(req, "readable"));
  }
  return req.readableLength > 0;
}

/**
 * Checks the content type, then the size, then parses JSON. Stores the value in `req.body`, or undefined without a
 * body. A route without a body refuses one. `express.json()` reads a refused body to its end, and replaces invalid
 * UTF-8; this keeps its reader, `raw-body`.
 */
export const readBody: TsRestRequestHandler<typeof routes> = async (req, res, next) => {
  try {
    req.body = await bodyOf(req, res, "body" in req.tsRestRoute);
  } catch (error) {
    req.resume(); // Node drops the rest of a body by itself only if nobody began to read it
    throw error;
  }
  next();
};

async function bodyOf(req: IncomingMessage, res: Response, isExpected: boolean): Promise<unknown> {
  if (!(await hasBody(req, res))) return undefined;
  if (!isExpected) throw invalidField("body", "must be absent");
  if (timesSent(req.rawHeaders, "content-type") > 1) {
    throw invalidField("Content-Type", "must appear once");
  }
  requireJson(req.headers["content-type"]);
  return parseJson(await readBytes(req, res));
}

function requireJson(header: string | undefined): void {
  const { type, parameters } = parseContentType(header ?? "");
  const charset = parameters.charset?.toLowerCase() ?? "utf-8";
  if (type.toLowerCase() !== "application/json" || charset !== "utf-8") {
    throw new ApiError("unsupported_media_type");
  }
}

/** The most bytes that a body within the limit can have when compression makes it longer. */
const maxCompressedBytes = limits.maxBodyBytes + 1_024;

async function readBytes(req: IncomingMessage, res: Response): Promise<Buffer> {
  const encoding = (req.headers["content-encoding"] ?? "identity").toLowerCase();
  const inflater = inflaters.get(encoding);
  if (!inflater && encoding !== "identity") throw new ApiError("unsupported_media_type");
  const limit = inflater ? maxCompressedBytes : limits.maxBodyBytes;
  if (Number(req.headers["content-length"] ?? 0) > limit) throw new ApiError("payload_too_large");
  const sent = await arrival(res, getRawBody(req, { limit }));
  return inflater ? inflated(sent, inflater) : sent;
}

function incomplete(): ApiError {
  return invalidField("body", "did not arrive completely");
}

/** What arrives of a body, unless it is too large, too slow or invalid HTTP. Lets a client send that waits for `100 Continue`. */
async function arrival<Part>(res: Response, part: Promise<Part>): Promise<Part> {
  const { headers, httpVersion, readableLength } = res.req;
  const context = contextOf(res);
  const isAwaited = readableLength === 0 && context.bodyError === null;
  if (headers.expect && httpVersion !== "1.0" && isAwaited) res.writeContinue();
  const failure = new Promise<never>((_, reject) => {
    context.onBodyError = reject;
  });
  if (context.bodyError) context.onBodyError?.(context.bodyError);
  try {
    return await Promise.race([failure, part]);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { type } = error as { readonly type?: string };
    if (type === "entity.too.large") throw new ApiError("payload_too_large");
    throw incomplete();
  }
}

async function inflated(sent: Buffer, inflater: Inflater): Promise<Buffer> {
  const mismatch = invalidField("Content-Encoding", "must match the encoding of the body");
  const options = { maxOutputLength: limits.maxBodyBytes, info: true };
  const { buffer, engine } = await inflater(sent, options).catch(({ code }) => {
    throw code === "ERR_BUFFER_TOO_LARGE" ? new ApiError("payload_too_large") : mismatch;
  });
  // Node ignores what follows the compressed data. A proxy could read it as another body.
  if (engine.bytesWritten < sent.length) throw mismatch;
  return buffer;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseJson(bytes: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    throw new ApiError("invalid_json", {}, { cause: error });
  }
  const repeated = repeatedFields(text);
  if (repeated.length > 0) {
    const message = "must appear once";
    const details = repeated.map((name) => ({ field: safeName(name), message }));
    throw new ApiError("invalid_request", { details });
  }
  return value;
}
