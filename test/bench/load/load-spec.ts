/** Somebody who sends requests. */
export interface Caller {
  readonly key: string;
  /** Taken in turn. */
  readonly paths: readonly string[];
}

/** The load on a server: so many connections, each with one request under way at any time. */
export interface LoadSpec {
  /** For example `http://127.0.0.1:3000`. Of several instances each has its share of the connections. */
  readonly origins: readonly string[];
  readonly method: "GET" | "POST";
  /** Each connection belongs to one of them. */
  readonly callers: readonly Caller[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whether each request carries an Idempotency-Key of its own. */
  readonly idempotencyKeys: boolean;
  /** The status that every answer must have. */
  readonly status: number;
  /**
   * Cancels the entries that were created, off the clock, each time there are so many of them; null
   * leaves them. So a line stays as long as it was.
   */
  readonly cancelEvery: number | null;
}

/** How many connections a server, or several instances together, are loaded by. */
export const connections = 32;
