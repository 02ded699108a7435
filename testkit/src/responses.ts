import { STATUS_CODES } from "node:http";

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
  return new Response(body, { status, statusText, headers });
}

/** Sets the URL, which a Response of `fetch` and its clones have, and a constructed one lacks. msw before 2.7 sets it too. */
export function withUrl(url: string, response: Response): Response {
  const clone = () => withUrl(url, Response.prototype.clone.call(response));
  const own = { url: { value: url, configurable: true }, clone: { value: clone } };
  return Object.defineProperties(response, own);
}

/** The same response with a body that ends before its declared length. Default: in the middle. */
export async function truncated(response: Response, length?: number): Promise<Response> {
  if (response.body === null) return response;
  const whole = new Uint8Array(await response.arrayBuffer());
  const bytes = whole.subarray(0, length ?? Math.floor(whole.length / 2));
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => bytes.length > 0 && controller.enqueue(bytes),
    pull: (controller) => controller.error(new TypeError("terminated", { cause })),
  });
  return new Response(body, response);
}

/** The error of `fetch` when the server refuses or resets the connection. */
export function connectionFailure(code: "ECONNREFUSED" | "ECONNRESET"): TypeError {
  const syscall = code === "ECONNREFUSED" ? "connect" : "read";
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  return new TypeError("fetch failed", { cause });
}
