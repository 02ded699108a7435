import { entryStatuses } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../server/src/rules/records.ts";
import { moved } from "../../server/src/rules/transitions.ts";

const waiting: Entry = {
  id: "e".repeat(24),
  businessId: "b".repeat(24),
  queueId: "q".repeat(24),
  date: "2026-11-21",
  tokenSeries: "A",
  tokenNumber: 1,
  status: "WAITING",
  priority: false,
  serviceId: null,
  workMinutes: null,
  customerName: "Customer 1",
  customerPhone: "919800000001",
  issuedAt: 1000,
  startedAt: null,
  completedAt: null,
  canceledAt: null,
};
const serving: Entry = { ...waiting, status: "IN_SERVICE", startedAt: 2000 };

describe("a move", () => {
  test.each([
    ["cancel", waiting, { status: "CANCELED", canceledAt: 3000 }],
    ["call", waiting, { status: "IN_SERVICE", startedAt: 3000 }],
    ["complete", serving, { status: "COMPLETED", completedAt: 3000 }],
    ["no-show", waiting, { status: "NO_SHOW" }],
  ] as const)("%s changes the state and its time, nothing else", (move, from, change) => {
    expect(moved(from, move, 3000)).toEqual({ ...from, ...change });
  });

  const allowed = ["WAITING cancel", "WAITING call", "WAITING no-show", "IN_SERVICE complete"];
  const moves = ["cancel", "call", "complete", "no-show"] as const;
  const refused = entryStatuses
    .flatMap((status) => moves.map((move) => [status, move] as const))
    .filter(([status, move]) => !allowed.includes(`${status} ${move}`));

  test.each(refused)("from %s there is no %s", (status, move) => {
    expect(moved({ ...waiting, status }, move, 3000)).toBeNull();
  });

  test("never runs backwards in time", () => {
    expect(moved(waiting, "call", 500)?.startedAt).toBe(1000);
    expect(moved(serving, "complete", 1500)?.completedAt).toBe(2000);
  });
});
