import { jest } from "@jest/globals";
import { QueueApi } from "@queue-api/sdk";

test("calls the fetch that a spy replaces", async () => {
  const spy = jest
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => Response.json({ data: [] }));
  const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "https://queue.example" });
  expect(await api.queues.list()).toEqual([]);
  expect(spy).toHaveBeenCalledTimes(1);
  spy.mockRestore();
});
