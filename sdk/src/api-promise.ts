import { isReplay } from "./answer.js";
import type { Success } from "./transport/task.js";

/** The result of a call, together with its HTTP response. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** The response of `fetch`, with status and headers. Its body has been read; see `data`. */
  readonly response: Response;
  /** The `X-Request-Id` of the answer; null if it has none. */
  readonly requestId: string | null;
  /**
   * Whether a creation returned the stored result of an earlier request with the same idempotency key. That
   * result may be out of date: use `get` for the live position. Always false for other operations.
   */
  readonly replayed: boolean;
}

/** A call in progress. Await it for the data alone, or use `withResponse()` for the response too. */
export interface ApiPromise<Data> extends Promise<Data> {
  /**
   * The data together with its HTTP response: status, headers, request id, and whether a creation was a
   * replay. It does not send another request.
   *
   * @example
   * const { data, requestId, replayed } = await api.entries.create(queueId, person).withResponse();
   */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Makes the promise for a call that has started. */
export function apiPromise<Data>(success: Promise<Success>): ApiPromise<Data> {
  const data = dataOf<Data>(success);
  return Object.assign(data, {
    withResponse: () => {
      data.catch(() => {}); // the caller of withResponse() gets the failure there
      return withResponse<Data>(success);
    },
  });
}

/** Uses `await` instead of `then`, so that the stack of an error includes the caller. */
async function dataOf<Data>(success: Promise<Success>): Promise<Data> {
  return (await success).envelope.data as Data; // its shape has been checked
}

async function withResponse<Data>(success: Promise<Success>): Promise<WithResponse<Data>> {
  const { envelope, response, requestId } = await success;
  return { data: envelope.data as Data, response, requestId, replayed: isReplay(response) };
}
