import { STATUS_CODES } from "node:http";
import type { WireAnswer } from "./in-memory.js";
import type { ProxyFault } from "./planned-faults.js";

/** The service's answer as a `Response` of `fetch`. With `cutAfter`, its body fails after that many bytes. */
export function responseOf(
  url: string,
  method: string,
  { status, statusText, headers, body }: WireAnswer,
  cutAfter: number | null = null,
): Response {
  const content = cutAfter === null ? body : cutShort(body.subarray(0, cutAfter));
  return at(url, new Response(method === "HEAD" ? null : content, { status, statusText, headers }));
}

const bodiless = [204, 205, 304];

/** An answer of a proxy in front of the service, which does not follow the API. */
export function proxyResponse(
  url: string,
  { name, status, retryAfterSeconds }: ProxyFault,
): Response {
  const statusText = STATUS_CODES[status] ?? "";
  const title = `${status} ${statusText}`.trim();
  const page = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  const [type, body] = name === "html" ? ["text/html", page] : ["text/plain", `${title}\n`];
  const headers = new Headers({ "Content-Type": type });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", `${retryAfterSeconds}`);
  const init = { status, statusText, headers };
  return at(url, new Response(bodiless.includes(status) ? null : body, init));
}

/** Sets the URL, which a Response of `fetch` has and a constructed one lacks. */
function at(url: string, response: Response): Response {
  return Object.defineProperty(response, "url", { value: url });
}

function cutShort(bytes: Buffer<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => bytes.length > 0 && controller.enqueue(bytes),
    pull: (controller) => controller.error(bodyCutShort()),
  });
}

/** The error of `fetch` when the server refuses or resets the connection. */
export function connectionFailure(code: "ECONNREFUSED" | "ECONNRESET"): TypeError {
  const syscall = code === "ECONNREFUSED" ? "connect" : "read";
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  return new TypeError("fetch failed", { cause });
}

/** The error of a body that ends before its declared length. */
function bodyCutShort(): TypeError {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  return new TypeError("terminated", { cause });
}
