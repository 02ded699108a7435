const { fakes, mockQueueApi } = require("@queue-api/testkit");

it("works without msw and without a transformer, and adds no timer", async () => {
  jest.useFakeTimers();
  const mock = mockQueueApi();
  const answer = await mock.fetch(`${mock.baseUrl}/v1/entries/${mock.ids.entry("first")}`, {
    headers: { Authorization: `Bearer ${mock.key("kiosk")}` },
  });
  expect(await answer.json()).toMatchObject({ data: { token: "A3", position: 1 } });
  expect(fakes.entry({ tokenNumber: 7 }).token).toBe("A7");
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});
