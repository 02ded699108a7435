import { type MockOptions, mockQueueApi, type QueueApiMock } from "@queue-api/testkit/msw";
import { setupServer } from "msw/node";
import { afterAll } from "vitest";

const server = setupServer();
let mocks = 0;
let open = 0;

/** The service of the test kit, reached by `fetch` as whoever uses the kit reaches it: by way of msw. */
export function mockUnderMsw(options: MockOptions): QueueApiMock {
  const mock = mockQueueApi({ ...options, baseUrl: `https://queue-${++mocks}.example` });
  if (open++ === 0) server.listen({ onUnhandledRequest: "error" });
  server.use(...mock.handlers);
  afterAll(async () => {
    if (--open === 0) {
      server.close();
      server.resetHandlers();
    }
    await mock.close();
  });
  return mock;
}
