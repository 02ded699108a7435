import { type HttpHandler, HttpResponse, http } from "msw";
import {
  type MockOptions,
  mockQueueApi as mockWithoutMsw,
  type QueueApiMock,
} from "../mock/index.js";

export * from "../mock/index.js";

/** The mocked service with its handlers for msw. */
export interface MswQueueApiMock extends QueueApiMock {
  /** For `setupServer(...mock.handlers)`: every request to the base URL is answered by the service. */
  readonly handlers: HttpHandler[];
}

/**
 * Starts a mock of the service for msw, apart from every other one.
 *
 * @example
 * const mock = mockQueueApi();
 * const server = setupServer(...mock.handlers);
 *
 * Throws `SeedFaultsError` when the seed is wrong, and RangeError for an option that there is not or that
 * cannot be meant.
 */
export function mockQueueApi(options: MockOptions = {}): MswQueueApiMock {
  const mock = mockWithoutMsw(options);
  const handler = http.all(`${mock.baseUrl}/*`, async ({ request }) => {
    try {
      return await mock.fetch(request);
    } catch {
      return HttpResponse.error(); // msw's word for a connection that failed; anything thrown would become a 500
    }
  });
  return Object.assign(mock, { handlers: [handler] });
}
