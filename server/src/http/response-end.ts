import type { ServerResponse } from "node:http";

/**
 * Calls the listener once the response is complete: it was handed over, or the client is gone and it is dropped. Node
 * has no event for the second: `finish` needs a connection, and `close` may come while the request still runs.
 */
export function whenEnded(res: ServerResponse, listener: () => void): void {
  const { end } = res;
  let isEnded = false;
  res.end = ((...given: Parameters<typeof end>) => {
    end.apply(res, given);
    if (!isEnded) listener();
    isEnded = true;
    return res;
  }) as typeof end;
}
