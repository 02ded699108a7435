import { isReplay } from "./answer.js";
import type { Success } from "./transport/task.js";

/** The result of a call with the answer that it came in. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** Status and headers of the answer, as `fetch` gives them; what the body said is in `data`. */
  readonly response: Response;
  /** The `X-Request-Id` of the answer; null when it had none. */
  readonly requestId: string | null;
  /**
   * Whether a creation was answered with the stored result of an earlier request with the same idempotency
   * key. It tells what was true then: `get` tells the live position. Always false for anything else.
   */
  readonly replayed: boolean;
}

/** A call under way. Await it for the data alone, or ask for the answer as well: it is the same request. */
export interface ApiPromise<Data> extends Promise<Data> {
  /**
   * The data with the HTTP answer that it came in: status, headers, request id, and whether a creation was a
   * replay. It is the same request as that of the promise itself.
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
      data.catch(() => {}); // whoever asks for the answer meets the failure there
      return withResponse<Data>(success);
    },
  });
}

/** Awaits rather than chains, so that the stack of a failure leads back to the caller. */
async function dataOf<Data>(success: Promise<Success>): Promise<Data> {
  return (await success).envelope.data as Data; // its shape has been checked
}

async function withResponse<Data>(success: Promise<Success>): Promise<WithResponse<Data>> {
  const { envelope, response, requestId } = await success;
  return { data: envelope.data as Data, response, requestId, replayed: isReplay(response) };
}
