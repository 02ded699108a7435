import { QueueApi } from "@queue-api/sdk";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

test("calls the stubbed fetch, even if the client is older than the stub", async () => {
  const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "https://queue.example" });
  const stub = vi.fn(async () => Response.json({ data: [] }));
  vi.stubGlobal("fetch", stub);
  expect(await api.queues.list()).toEqual([]);
  expect(stub).toHaveBeenCalledTimes(1);
});
