/** A caller, which sends requests. */
export interface Caller {
  readonly key: string;
  /** Taken in turn. */
  readonly paths: readonly string[];
}

/** The load on a server: a number of connections, each with one pending request at any time. */
export interface LoadSpec {
  /** For example `http://127.0.0.1:3000`. Of several instances each has its share of the connections. */
  readonly origins: readonly string[];
  readonly method: "GET" | "POST";
  /** Each connection belongs to one of them. */
  readonly callers: readonly Caller[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whether each request has its own Idempotency-Key. */
  readonly idempotencyKeys: boolean;
  /** The required status of every response. */
  readonly status: number;
  /**
   * The number of created entries after which they are canceled, outside the measured time, so that the line
   * keeps its length. Null: never.
   */
  readonly cancelEvery: number | null;
}

/** The number of connections to a server, or to several instances together. */
export const connections = 32;
