import { type HttpHandler, HttpResponse, http } from "msw";
import {
  type AnySeed,
  type DefaultSeed,
  type MockOptions,
  mockQueueApi as mockWithoutMsw,
  type QueueApiMock,
  type SeedInput,
} from "./index.js";

export * from "./index.js";

/** The mocked service with its handlers for msw. */
export interface MswQueueApiMock<Seed extends AnySeed = SeedInput> extends QueueApiMock<Seed> {
  /** For `setupServer(...mock.handlers)`: the service answers every request to the base URL. */
  readonly handlers: HttpHandler[];
}

/**
 * Starts an independent mock of the service for msw.
 *
 * @example
 * const mock = mockQueueApi();
 * const server = setupServer(...mock.handlers);
 *
 * Throws {@link SeedFaultsError} if the seed is wrong, and RangeError for an unknown option or value out of range.
 */
export function mockQueueApi<const Seed extends AnySeed = DefaultSeed>(
  options: MockOptions<Seed> = {},
): MswQueueApiMock<Seed> {
  const mock = mockWithoutMsw(options);
  const handler = http.all(`${mock.baseUrl}/*`, async ({ request }) => {
    try {
      return await mock.fetch(request);
    } catch {
      return HttpResponse.error(); // a failed connection in msw; a thrown error would become a 500
    }
  });
  return Object.assign(mock, { handlers: [handler] });
}
