import { isNetworkFailure, NetworkFailure } from "../failure.js";
import type { Fetch, QueueApiOptions } from "../options.js";

/**
 * Sends a request by a `fetch`, with arguments that every `fetch` accepts: a URL and a plain `init`. Receives the whole
 * answer, so that an answer that breaks off is a failed attempt, and the timeout covers the body. Does not follow
 * redirects, so that the key is sent to no other host.
 *
 * @returns The answer, whose body can still be read.
 * @throws {NetworkFailure} The network failed. Other errors of `fetch` are rethrown unchanged.
 */
export async function wholeFetch(
  fetch: Fetch,
  request: Request,
  options: QueueApiOptions["fetchOptions"] = {},
): Promise<Response> {
  const { url, method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  const body = await request.text();
  signal.throwIfAborted(); // a fetch may ignore the signal
  let response: Response;
  try {
    response = await fetch(url, {
      ...(leavesCacheOpen(options) && { cache: "no-store" }),
      ...options,
      ...{ method, headers, signal, redirect: "manual" },
      ...(body !== "" && { body }),
    });
  } catch (cause) {
    throw isNetworkFailure(cause) ? new NetworkFailure("connection", cause) : cause;
  }
  if (!isResponse(response)) {
    throw new TypeError("The fetch that the client was given returned no Response.");
  }
  if (signal.aborted) void response.body?.cancel();
  signal.throwIfAborted();
  try {
    await response.clone().arrayBuffer();
  } catch (cause) {
    throw new NetworkFailure("truncated", cause);
  }
  return response;
}

/** Whether this is a `Response`, also one of another realm or of undici. */
function isResponse(value: unknown): value is Response {
  const { ok, headers, clone } = (value ?? {}) as Partial<Response>;
  return (
    typeof ok === "boolean" && typeof clone === "function" && typeof headers?.has === "function"
  );
}

let takesCache: boolean | undefined;

/**
 * Whether `no-store` is to be set: the options say nothing of a cache, and requests support it. Cloudflare Workers
 * refused it until November 2024.
 */
function leavesCacheOpen(options: object): boolean {
  takesCache ??= acceptsCache();
  return takesCache && !("cache" in options) && !("next" in options);
}

function acceptsCache(): boolean {
  const init = { cache: "no-store" } as RequestInit; // the types of Node lack `cache`
  try {
    return Boolean(new Request("https://queue.invalid", init));
  } catch {
    return false;
  }
}
