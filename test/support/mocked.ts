import { type MockOptions, mockQueueApi, type QueueApiMock } from "@queue-api/testkit/msw";
import { setupServer } from "msw/node";
import { atEnd } from "./at-end.js";

const server = setupServer();
let mocks = 0;
let open = 0;

/** The mock of the test kit. `fetch` reaches it through msw, as in the tests of the kit's users. */
export function mockUnderMsw(options: MockOptions): QueueApiMock {
  const mock = mockQueueApi({ ...options, baseUrl: `https://queue-${++mocks}.example` });
  if (open++ === 0) server.listen({ onUnhandledRequest: "error" });
  server.use(...mock.handlers);
  atEnd(async () => {
    if (--open === 0) {
      server.close();
      server.resetHandlers();
    }
    await mock.close();
  });
  return mock;
}
