import { limits } from "@queue-api/contract";
import type { WireRequest } from "./in-memory.js";

const ofTheConnection = ["connection", "content-length", "host", "keep-alive", "transfer-encoding"];
const withLength = ["POST", "PUT", "PATCH"];

/** A request as `fetch` sends it: to the path below the base URL, with the headers that HTTP requires. */
export function wireRequest(
  { method, headers }: Request,
  { host, search }: URL,
  path: string,
  body: RequestBody,
): WireRequest {
  const own = [...headers].filter(([name]) => !ofTheConnection.includes(name)).flat();
  const chunked = body.kind === "long" || headers.has("transfer-encoding");
  return {
    method,
    target: path + search,
    headers: [
      ...["host", host, "connection", "keep-alive"],
      ...own,
      ...(chunked ? ["transfer-encoding", "chunked"] : lengthOf(method, body)),
    ],
    body: body.kind === "none" ? null : body.kind === "whole" ? body.bytes : body.stream,
  };
}

/** The length headers. A method that usually has a body sends `Content-Length` even without a body. */
function lengthOf(method: string, body: RequestBody): string[] {
  if (body.kind === "whole") return ["content-length", `${body.bytes.length}`];
  return withLength.includes(method) ? ["content-length", "0"] : [];
}

/** The body of a request, read up to the service's limit. */
export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "whole"; readonly bytes: Buffer }
  /** Longer than the service's limit: a stream of the part that was read, then the rest. */
  | { readonly kind: "long"; readonly stream: AsyncIterable<Uint8Array> };

/** Reads a body within the service's limit completely, and leaves a longer one as a stream. */
export async function readBody(request: Request): Promise<RequestBody> {
  if (request.body === null) return { kind: "none" };
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length <= limits.maxBodyBytes) {
    const { done, value } = await reader.read();
    if (done) return { kind: "whole", bytes: Buffer.concat(chunks) };
    chunks.push(value);
    length += value.byteLength;
  }
  return { kind: "long", stream: continued(chunks, reader) };
}

async function* continued(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** The body as tests see it: the parsed JSON, or the text if it is not JSON; null without a complete body. */
export function shownBody(body: RequestBody): unknown {
  if (body.kind !== "whole" || body.bytes.length === 0) return null;
  const text = body.bytes.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
