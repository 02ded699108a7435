/** The result of a call with the answer that it came in. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** The answer; its body has been read. */
  readonly response: Response;
  /** The `X-Request-Id` of the answer; null when it had none. */
  readonly requestId: string | null;
}

/** A call under way. Await it for the data alone, or ask for the answer as well: it is the same request. */
export interface ApiPromise<Data> extends Promise<Data> {
  withResponse(): Promise<WithResponse<Data>>;
}

/** Makes the promise for a call that has started. */
export function apiPromise<Data>(answer: Promise<WithResponse<Data>>): ApiPromise<Data> {
  const data = dataOf(answer);
  return Object.assign(data, {
    withResponse: () => {
      data.catch(() => {}); // whoever asks for the answer meets the failure there
      return answer;
    },
  });
}

/** Awaits rather than chains, so that the stack of a failure leads back to the caller. */
async function dataOf<Data>(answer: Promise<WithResponse<Data>>): Promise<Data> {
  return (await answer).data;
}
