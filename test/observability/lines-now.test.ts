import { createLogger } from "@queue-api/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { LinesNow } from "../../server/src/observability/lines-now.js";

const noon = Date.UTC(2026, 10, 21, 12);

function asked(tookMs: number, answered: Promise<void> = Promise.resolve()) {
  const time = { now: 0, questions: 0 };
  const store = {
    now: () => noon,
    monitoring: {
      linesByDay: async () => {
        time.questions++;
        time.now += tookMs;
        await answered;
        return [{ timezone: null, date: "2026-11-21", waiting: 3, firstIssuedAt: noon - 60_000 }];
      },
    },
  };
  const silent = createLogger({ level: "silent", pretty: false });
  const lines = new LinesNow(store, silent, () => time.now);
  return { lines, time };
}

test.each([
  ["a result is reused for a minute", 1, 60_000],
  ["a slow result is reused for twenty times its duration", 4_000, 80_000],
])("%s", async (_, tookMs, reusedMs) => {
  const { lines, time } = asked(tookMs);
  const answers = await Promise.all([lines.read(), lines.read(), lines.read()]);
  expect(answers).toEqual(Array(3).fill({ waiting: 3, longestSeconds: 60 }));
  time.now += reusedMs - 1;
  await lines.read();
  expect(time.questions).toBe(1);
  time.now += 1;
  await lines.read();
  expect(time.questions).toBe(2);
});

test("a scrape does not wait longer for a result than Prometheus waits for the scrape", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { lines } = asked(1, new Promise(() => {}));
  const onAnswer = vi.fn();
  lines.read().then(onAnswer);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(onAnswer).toHaveBeenCalledWith(null);
});
