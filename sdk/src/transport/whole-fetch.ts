import { isNetworkFailure } from "./network-failure.js";

/** An answer whose body has been read completely. */
export interface Answer {
  /** The response of `fetch`. Its body has been consumed. */
  readonly response: Response;
  /** The body; null when it is longer than {@link longestBody}. */
  readonly text: string | null;
}

/** The connection failed, or ended before the answer's headers were complete. */
export class NoAnswer extends Error {}

/** The connection ended within the answer's body. */
export class AnswerCutShort extends Error {}

/** The maximum length of a body, in bytes. The longest page of the service has about 100,000. */
export const longestBody = 16 * 1024 * 1024;

/**
 * Sends a request by a `fetch`, with arguments that every `fetch` accepts: a URL and a plain `init`. Reads
 * the whole answer, so that ky's timeout covers the body too. Does not follow redirects, so that the key is
 * sent to no other host.
 *
 * @throws {NoAnswer | AnswerCutShort} The network failed. Other errors of `fetch` are rethrown unchanged.
 */
export async function wholeFetch(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Answer> {
  init.signal.throwIfAborted();
  always ??= takesCache() ? { redirect: "manual", ...uncached } : { redirect: "manual" };
  let response: Response;
  try {
    response = await fetch(url, { ...init, ...always });
  } catch (cause) {
    if (isNetworkFailure(cause)) throw new NoAnswer("No answer came.", { cause });
    throw cause;
  }
  if (typeof response?.headers?.get !== "function") {
    throw new TypeError("The fetch that the client was given returned no Response.");
  }
  if (init.signal.aborted) void response.body?.cancel(); // the fetch ignores the signal
  try {
    return { response, text: await textOf(response) };
  } catch (cause) {
    throw new AnswerCutShort("The answer broke off.", { cause });
  }
}

/** Keeps answers out of all caches, of browsers and of frameworks that replace the global `fetch`. */
const uncached = { cache: "no-store" } as RequestInit; // the types of Node lack `cache`

/** The `init` fields of every request. */
let always: RequestInit | undefined;

/** Whether requests support `cache`. Cloudflare Workers refused it until November 2024. */
function takesCache(): boolean {
  try {
    return Boolean(new Request("https://queue.invalid", uncached));
  } catch {
    return false;
  }
}

/** The body of an answer; null if it is too long. Then the rest is not received. */
async function textOf(response: Response): Promise<string | null> {
  if (isShort(response) || typeof response.body?.getReader !== "function") return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > longestBody) {
      void reader.cancel().catch(() => {}); // the answer is refused even if the cancellation fails
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Whether the declared length, which HTTP enforces, is short enough to read the body at once. */
function isShort({ headers }: Response): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= longestBody && !headers.has("content-encoding");
}
