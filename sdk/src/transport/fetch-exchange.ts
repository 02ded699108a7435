import {
  AnswerCutShort,
  type Exchange,
  type HttpAnswer,
  longestBody,
  NoAnswer,
} from "./exchange.js";

/** Sends requests to an origin by `fetch`. */
export function fetchExchange(origin: string, fetch: typeof globalThis.fetch): Exchange {
  return async ({ method, path, headers, body }, onStop) => {
    const controller = new AbortController();
    const { signal } = controller;
    onStop((reason) => controller.abort(reason));
    const init = { method, headers: { ...headers }, body, signal, redirect: "manual" } as const;
    const response = await sent(fetch, origin + path, init);
    if (signal.aborted) void response.body?.cancel(); // a fetch that pays no heed to the signal
    try {
      const text = await textOf(response);
      if (text === null) controller.abort(); // or the rest would be received all the same
      return new FetchAnswer(response, text);
    } catch (cause) {
      throw new AnswerCutShort("The answer broke off.", { cause });
    }
  };
}

async function sent(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new NoAnswer("No answer came.", { cause });
  }
}

/** The body of an answer, null when it is too long. A `fetch` of another library may not stream it. */
async function textOf(response: Response): Promise<string | null> {
  if (typeof response.body?.getReader !== "function") return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > longestBody) return null;
    text += decoder.decode(value, { stream: true });
  }
}

class FetchAnswer implements HttpAnswer {
  readonly response: Response;
  readonly text: string | null;

  constructor(response: Response, text: string | null) {
    this.response = response;
    this.text = text;
  }

  get status(): number {
    return this.response.status;
  }

  header(name: string): string | null {
    return this.response.headers.get(name);
  }
}
