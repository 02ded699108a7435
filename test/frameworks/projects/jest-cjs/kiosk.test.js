const { QueueApi } = require("@queue-api/sdk");

test("calls the fetch that a spy replaces", async () => {
  const spy = jest
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => Response.json({ data: [] }));
  const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "https://queue.example" });
  expect(await api.queues.list()).toEqual([]);
  expect(spy).toHaveBeenCalledWith(
    "https://queue.example/v1/queues",
    expect.objectContaining({ method: "GET", cache: "no-store" }),
  );
  spy.mockRestore();
});
