import type { Envelope } from "./operation.js";

/** The result of a call, together with its HTTP response. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** The response of `fetch`, with status and headers. Its body has been read; see `data`. */
  readonly response: Response;
  /** The `X-Request-Id` of the response; null if it has none. */
  readonly requestId: string | null;
  /** Requests sent by the call; more than 1 after retries. */
  readonly attempts: number;
  /**
   * Whether a creation returned the stored result of an earlier call with the same idempotency key. That result may be
   * out of date: use `get` for the live position. False if an earlier attempt of the same call may have created it.
   * Always false for other operations.
   */
  readonly replayed: boolean;
}

/** What a call returns, before it is typed. */
export interface Success extends Omit<WithResponse<never>, "data"> {
  readonly envelope: Envelope;
}

/** A call in progress. Await it for the data alone, or use `withResponse()` for the response too. */
export interface ApiPromise<Data> extends Promise<Data> {
  /**
   * The data together with its HTTP response: status, headers, request id, attempts, and whether a creation
   * was a replay. It does not send another request.
   *
   * @example
   * const { data, requestId, replayed } = await api.entries.create(queueId, person).withResponse();
   */
  withResponse(): Promise<WithResponse<Data>>;
}

/**
 * Makes the promise for a call that has started. Each promise here is awaited once, by an async function: only
 * then does the stack of an error include the caller.
 *
 * @internal
 */
export function apiPromise<Data>(
  call: Promise<Success>,
  read: (of: Success) => Data,
): ApiPromise<Data> {
  let success: Success;
  const data = (async () => {
    success = await call;
    return read(success);
  })();
  return Object.assign(data, {
    withResponse: async () => {
      const read = await data;
      const { envelope: _, ...facts } = success;
      return { data: read, ...facts };
    },
  });
}
