import { createLogger } from "@queue-api/server";
import { expect, test } from "vitest";
import { LinesNow } from "../../server/src/observability/lines-now.js";

const noon = Date.UTC(2026, 10, 21, 12);

function asked(tookMs: number) {
  const time = { now: 0, questions: 0, fails: false };
  const store = {
    now: () => noon,
    monitoring: {
      linesByDay: async () => {
        time.questions++;
        time.now += tookMs;
        if (time.fails) throw new Error("gone");
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
