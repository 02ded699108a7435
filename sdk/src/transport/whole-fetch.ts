import type { Fetch, FetchInit, QueueApiOptions } from "../options.js";
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

/** A request, apart from its URL. */
interface Sending {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  readonly fetchOptions: QueueApiOptions["fetchOptions"];
}

/**
 * Sends a request by a `fetch`, with arguments that every `fetch` accepts: a URL and a plain `init`. Reads
 * the whole answer, so that ky's timeout covers the body too. Does not follow redirects, so that the key is
 * sent to no other host.
 *
 * @throws {NoAnswer | AnswerCutShort} The network failed. Other errors of `fetch` are rethrown unchanged.
 */
export async function wholeFetch(fetch: Fetch, url: string, sending: Sending): Promise<Answer> {
  const { signal } = sending;
  signal.throwIfAborted();
  let response: Response;
  try {
    response = (await fetch(url, initOf(sending))) as Response;
  } catch (cause) {
    if (isNetworkFailure(cause)) throw new NoAnswer("No answer came.", { cause });
    throw cause;
  }
  if (typeof response?.headers?.get !== "function") {
    throw new TypeError("The fetch that the client was given returned no Response.");
  }
  if (signal.aborted) void response.body?.cancel(); // the fetch ignores the signal
  try {
    return { response, text: await cappedText(response) };
  } catch (cause) {
    throw new AnswerCutShort("The answer broke off.", { cause });
  }
}

/** The client's options of `fetch`, and the request. No answer is cached, unless the options say how. */
function initOf({ method, headers, body, signal, fetchOptions = {} }: Sending): FetchInit {
  takesCache ??= acceptsCache();
  const cached = !takesCache || "cache" in fetchOptions || "next" in fetchOptions;
  return {
    ...(!cached && { cache: "no-store" }),
    ...fetchOptions,
    ...{ method, headers, signal, redirect: "manual" },
    ...(body !== undefined && { body }),
  };
}

let takesCache: boolean | undefined;

/** Whether requests support `cache`. Cloudflare Workers refused it until November 2024. */
function acceptsCache(): boolean {
  const init = { cache: "no-store" } as RequestInit; // the types of Node lack `cache`
  try {
    return Boolean(new Request("https://queue.invalid", init));
  } catch {
    return false;
  }
}

/** The body of an answer; null if it is too long. Then the rest is not received. */
async function cappedText(response: Response): Promise<string | null> {
  const { headers, body } = response;
  const encoded = headers.has("content-encoding") || headers.has("transfer-encoding");
  const isShort = !encoded && Number(headers.get("content-length") ?? Number.NaN) <= longestBody;
  if (isShort || typeof body?.getReader !== "function") return response.text(); // much faster
  const reader = body.getReader();
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
