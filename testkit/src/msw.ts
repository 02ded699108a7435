import { type HttpHandler, HttpResponse, type HttpResponseResolver, http } from "msw";
import {
  type DefaultSeed,
  type MockOptions,
  mockQueueApi as mockWithoutMsw,
  type QueueApiMock,
  routeNames,
  type SeedInput,
} from "./index.js";
import type { AnySeed } from "./seed.js";

export * from "./index.js";

/** The mocked service with its handlers for msw. */
export interface MswQueueApiMock<Seed extends AnySeed = SeedInput> extends QueueApiMock<Seed> {
  /**
   * For `setupServer(...mock.handlers)`: a handler for each operation of the API, and the last one for every other
   * request to the base URL, which the service refuses with 404.
   *
   * @example
   * // in a test, in front of the handler of one operation
   * server.use(http.get(`${mock.baseUrl}/v1/me`, () => new HttpResponse(null, { status: 503 })));
   */
  readonly handlers: HttpHandler[];
}

/**
 * Starts an independent mock of the service for msw.
 *
 * @example
 * const mock = mockQueueApi();
 * const server = setupServer(...mock.handlers);
 *
 * Throws {@link InvalidSeedError} if the seed is wrong, and RangeError for an unknown option or value out of range.
 */
export function mockQueueApi<const Seed extends AnySeed = DefaultSeed>(
  options: MockOptions<Seed> = {},
): MswQueueApiMock<Seed> {
  const mock = mockWithoutMsw(options);
  const respond: HttpResponseResolver = async ({ request }) => {
    if (request.bodyUsed)
      throw new Error("a handler in front must read the body of request.clone()");
    try {
      return await mock.fetch(request);
    } catch {
      return HttpResponse.error(); // a failed connection in msw; a thrown error would become a 500
    }
  };
  /** What has a meaning in a path of msw is escaped, as in `[::1]` and `a+b`; it knows the colon of a scheme or port. */
  const base = mock.baseUrl.replace(/[()+]|:(?!\/\/|\d+(\/|$))/g, "\\$&");
  const operations = routeNames.map((name) => {
    const [method = "", path] = name.split(" ");
    return http[method.toLowerCase() as "get" | "post"](base + path, respond);
  });
  return Object.assign(mock, {
    handlers: [...operations, http.all(`${base}/*`, respond)],
  });
}
