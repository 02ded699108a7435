import { STATUS_CODES } from "node:http";
import type { WireResponse } from "./in-memory.js";

/** The service's response as a `Response` of `fetch`. With `cutAt`, its body fails after that many bytes. */
export function responseOf(
  url: string,
  method: string,
  { status, statusText, headers, body }: WireResponse,
  cutAt: number | undefined,
): Response {
  const content = cutAt === undefined ? body : cutShort(body.subarray(0, cutAt));
  return at(url, new Response(method === "HEAD" ? null : content, { status, statusText, headers }));
}

const bodiless = [204, 205, 304];

/** A response of a proxy in front of the service, which does not follow the API. */
export function proxyResponse(status: number, type: "text/plain" | "text/html", retry?: number) {
  const statusText = STATUS_CODES[status] ?? "";
  const title = `${status} ${statusText}`.trim();
  const page = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  const body = bodiless.includes(status) ? null : `${type === "text/html" ? page : title}\n`;
  const headers = {
    "Content-Type": type,
    ...(retry !== undefined && { "Retry-After": `${retry}` }),
  };
  return (url: string) => at(url, new Response(body, { status, statusText, headers }));
}

/** Sets the URL, which a Response of `fetch` and its clones have, and a constructed one lacks. msw before 2.7 sets it too. */
function at(url: string, response: Response): Response {
  const clone = () => at(url, Response.prototype.clone.call(response));
  const own = { url: { value: url, configurable: true }, clone: { value: clone } };
  return Object.defineProperties(response, own);
}

/** A body that ends before its declared length. */
function cutShort(bytes: Buffer<ArrayBuffer>): ReadableStream<Uint8Array> {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  return new ReadableStream({
    start: (controller) => bytes.length > 0 && controller.enqueue(bytes),
    pull: (controller) => controller.error(new TypeError("terminated", { cause })),
  });
}

/** The error of `fetch` when the server refuses or resets the connection. */
export function connectionFailure(code: "ECONNREFUSED" | "ECONNRESET"): TypeError {
  const syscall = code === "ECONNREFUSED" ? "connect" : "read";
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  return new TypeError("fetch failed", { cause });
}
