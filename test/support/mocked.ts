import { createRequire } from "node:module";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import type { mockQueueApi } from "../../testkit/src/mock.js";
import type { Internals } from "../../testkit/src/mocked-service.js";
import { atEnd } from "./at-end.js";

const kit = createRequire(import.meta.url)("../../testkit/dist/cjs/kit.js");
const start: typeof mockQueueApi = kit.mockQueueApi;
const server = setupServer();
let mocks = 0;
let open = 0;

/** An empty mock of the test kit, with options that its users do not have. `fetch` reaches it through msw. */
export function mockUnderMsw(clock: () => number, internals: Internals) {
  const baseUrl = `https://queue-${++mocks}.example`;
  const mock = start({ seed: { businesses: [] }, clock, baseUrl }, internals);
  if (open++ === 0) server.listen({ onUnhandledRequest: "error" });
  server.use(
    http.all(`${baseUrl}/*`, ({ request }) =>
      mock.fetch(request).catch(() => HttpResponse.error()),
    ),
  );
  atEnd(async () => {
    if (--open === 0) {
      server.close();
      server.resetHandlers();
    }
    await mock.close();
  });
  return mock;
}
