import { describe, expect, test } from "vitest";
import { patch, snapshotOf } from "../../server/src/dashboard/board/snapshot.js";

const board = (frame: string, pieces: Readonly<Record<string, string>>) =>
  snapshotOf(frame, new Map(Object.entries(pieces)));

describe("the patch from one board to another", () => {
  const before = board("f", { "queue-a": "one", "queue-b": "two" });

  test("has only the queues that changed", () => {
    const after = board("f", { "queue-a": "one", "queue-b": "three" });
    expect(patch(before, after)).toBe('<div id="queue-b">three</div>');
  });

  test("has every queue for a browser that shows another board", () => {
    expect(patch(null, before)).toBe('<div id="queue-a">one</div>\n<div id="queue-b">two</div>');
  });
});

test("a board has the same id in all processes, and another one when anything changes", () => {
  const one = board("f", { "queue-a": "one" });
  expect(board("f", { "queue-a": "one" }).id).toBe(one.id);
  expect(board("g", { "queue-a": "one" }).id).not.toBe(one.id);
  expect(board("f", { "queue-a": "two" }).id).not.toBe(one.id);
});
