import { isNetworkFailure } from "./network-failure.js";

/** An answer that was read to its end. */
export interface Answer {
  /** As `fetch` gave it, with its body used up. */
  readonly response: Response;
  /** The body; null when it is longer than {@link longestBody}. */
  readonly text: string | null;
}

/** The connection could not be made, or it ended before the answer's headers did. */
export class NoAnswer extends Error {}

/** The connection ended within the answer's body. */
export class AnswerCutShort extends Error {}

/** Bytes of a body that are read at most. The longest page of the service has about 100,000. */
export const longestBody = 16 * 1024 * 1024;

/**
 * Sends a request by a `fetch`, which is given what every `fetch` understands: an address and a plain `init`.
 * Reads the whole answer, so that ky's clock covers the body too. Redirects are not followed, so that the key
 * goes nowhere else.
 *
 * @throws {NoAnswer | AnswerCutShort} The network failed. Whatever else `fetch` throws is thrown as it is.
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
  if (init.signal.aborted) void response.body?.cancel(); // a fetch that does not heed the signal
  try {
    return { response, text: await textOf(response) };
  } catch (cause) {
    throw new AnswerCutShort("The answer broke off.", { cause });
  }
}

/** Keeps answers out of every cache: browsers heed it, and so do frameworks that put a `fetch` of theirs there. */
const uncached = { cache: "no-store" } as RequestInit; // which the types of Node leave out

/** What every request says. */
let always: RequestInit | undefined;

/** Whether requests may say how they are cached: Cloudflare's workers refused it until November 2024. */
function takesCache(): boolean {
  try {
    return Boolean(new Request("https://queue.invalid", uncached));
  } catch {
    return false;
  }
}

/** The body of an answer; null when it is too long: then the rest is not received. */
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
      void reader.cancel().catch(() => {}); // whatever becomes of it, the answer is refused
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Whether the length that was announced, which HTTP holds an answer to, allows to read it in one go. */
function isShort({ headers }: Response): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= longestBody && !headers.has("content-encoding");
}
