/** One HTTP request, ready to be sent. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** What follows the origin: path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a request without a body. */
  readonly body: string | null;
}

/** An answer that was read to its end. */
export interface HttpAnswer {
  readonly status: number;
  /** The body; null when it is longer than {@link longestBody}. */
  readonly text: string | null;
  /** The answer as `fetch` gives it. */
  readonly response: Response;
  /** The value of a header, whose name is given in lower case; null when there is none. */
  header(name: string): string | null;
}

/** How work learns that it has to end before it is done: what it hands in is run then. */
export type OnStop = (stop: (reason: Error) => void) => void;

/**
 * Sends one request, once, and reads the whole answer, whatever its status. Redirects are not followed,
 * so that the key goes nowhere else. Fails with {@link NoAnswer} or {@link AnswerCutShort}.
 */
export type Exchange = (request: HttpRequest, onStop: OnStop) => Promise<HttpAnswer>;

/** The connection could not be made, or it ended before the answer's headers did. */
export class NoAnswer extends Error {}

/** The connection ended within the answer's body. */
export class AnswerCutShort extends Error {}

/** Bytes of a body that are read at most. The longest page of the service has about 100,000. */
export const longestBody = 16 * 1024 * 1024;
