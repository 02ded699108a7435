import ky from "ky";

/** One HTTP request, ready to be sent. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a request without a body. */
  readonly body: string | null;
}

/** An answer that was read to its end. */
export interface HttpAnswer {
  readonly response: Response;
  readonly text: string;
}

/** The connection could not be made, or it ended before the answer's headers did. */
export class NoAnswer extends Error {}

/** The connection ended within the answer's body. */
export class AnswerCutShort extends Error {}

/**
 * Sends one request, once, and reads the whole answer, whatever its status. Redirects are not followed,
 * so that the key goes nowhere else.
 *
 * The signal and the body go to `fetch` directly: ky would combine the signal with one of its own, which
 * costs more than the rest of a request, and a `fetch` of another library could not read ky's `Request`.
 */
export async function attempt(
  fetch: typeof globalThis.fetch,
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const response = await ky(url, {
    method,
    headers,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    fetch: (request) =>
      fetch((request as Request).url, {
        method,
        headers: (request as Request).headers,
        body,
        signal,
        redirect: "manual",
      }),
  }).catch((cause: unknown) => {
    throw new NoAnswer("No answer came.", { cause });
  });
  if (signal.aborted) void response.body?.cancel(); // a fetch that pays no heed to the signal
  try {
    return { response, text: await response.text() };
  } catch (cause) {
    throw new AnswerCutShort("The answer broke off.", { cause });
  }
}
