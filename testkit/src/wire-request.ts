import type { WireRequest } from "./in-memory.js";
import type { RequestBody } from "./request-body.js";

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
