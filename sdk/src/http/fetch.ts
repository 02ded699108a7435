import { connectionError, isNetworkError } from "../network-error.js";
import type { Fetch, FetchResponse, QueueApiOptions } from "../options.js";
import type { Reader } from "../task.js";

/**
 * Sends a request by a `fetch`, with arguments that every `fetch` accepts: a URL and a plain `init`. Receives the whole
 * response, so that a response that breaks off is a failed attempt, and the timeout covers the body. Does not follow
 * redirects, so that the key is sent to no other host.
 *
 * @returns The response, whose body can still be read.
 * @throws {ConnectionError} The network failed. Other errors of `fetch` are rethrown unchanged.
 */
export async function wholeFetch(
  fetch: Fetch,
  request: Request,
  reader: Reader,
  options: QueueApiOptions["fetchOptions"] = {},
): Promise<Response> {
  const { url, method, signal } = request;
  const body = await request.text();
  signal.throwIfAborted(); // a fetch may ignore the signal
  let response: FetchResponse;
  try {
    response = await fetch(url, {
      // Cloudflare Workers refused `cache` until November 2024.
      ...("cache" in request && !("next" in options) && { cache: "no-store" }),
      ...options,
      method,
      headers: Object.fromEntries(request.headers),
      signal,
      redirect: "manual",
      ...(body !== "" && { body }),
    });
  } catch (cause) {
    throw isNetworkError(cause) ? connectionError("connection", cause, reader) : cause;
  }
  if (!isResponse(response)) {
    throw new TypeError("The fetch that the client was given returned no standard Response.");
  }
  if (response.bodyUsed || response.body?.locked) {
    throw new TypeError(
      "The fetch that the client was given has read the body of its Response: read a clone() instead.",
    );
  }
  // A fetch that ignores its signal may respond late. Nobody reads that body.
  if (signal.aborted) response.body?.cancel().catch(() => {}); // fails if the abort has ended the body already
  signal.throwIfAborted();
  try {
    await response.clone().arrayBuffer();
  } catch (cause) {
    throw connectionError("truncated", cause, reader);
  }
  return response.clone(); // the fetch of a test may return the same response again
}

/** Whether this is a `Response`, also one of another realm or of undici. The body of node-fetch is a stream of Node. */
function isResponse(value: unknown): value is Response {
  const { ok, headers, body, clone } = (value ?? {}) as Partial<Response>;
  const isBody = !body || typeof body.cancel === "function";
  const hasMethods = typeof clone === "function" && typeof headers?.has === "function";
  return typeof ok === "boolean" && isBody && hasMethods;
}
