import { describe, expect, test } from "vitest";
import type { Entry, Queue } from "../../server/src/rules/records.ts";
import {
  applyTransition,
  canUndoTransfer,
  corrected,
  refuseTransfer,
  type Transition,
  tokensBeforeTransfers,
  transferred,
} from "../../server/src/rules/transitions.ts";
import { entry as entryOfToken, front } from "../store/support/records.js";

const waiting = entryOfToken(1, { issuedAt: 1000 });
const serving: Entry = { ...waiting, status: "IN_SERVICE", startedAt: 2000, calls: 1, revision: 1 };

/** The entry after these transitions in order. */
function afterTransitions(entry: Entry, ...transitions: Transition[]): Entry {
  return transitions.reduce((before, transition) => {
    const next = applyTransition(before, transition, { now: 3000 });
    if (!next) throw new Error(`${before.status} has no ${transition}`);
    return next;
  }, entry);
}

describe("a transition", () => {
  test.each([
    ["cancel", waiting, { status: "CANCELED", canceledAt: 3000 }],
    ["call", waiting, { status: "IN_SERVICE", startedAt: 3000, calls: 1 }],
    ["next", waiting, { status: "IN_SERVICE", startedAt: 3000, calls: 1 }],
    ["priority", waiting, { priority: true }],
    ["no-priority", { ...waiting, priority: true }, { priority: false }],
    ["call-again", serving, { calls: 2, calledAgainAt: 3000 }],
    ["complete", serving, { status: "COMPLETED", completedAt: 3000 }],
    ["no-show", waiting, { status: "NO_SHOW" }],
    ["no-show", serving, { status: "NO_SHOW" }],
    ["requeue", serving, { status: "WAITING", startedAt: null }],
    ["undo", serving, { status: "WAITING", startedAt: null, calls: 0 }],
  ] as const)(
    "%s changes its own fields and the revision, and nothing else",
    (transition, from, change) => {
      const revision = from.revision + 1;
      expect(applyTransition(from, transition, { now: 3000 })).toEqual({
        ...from,
        ...change,
        revision,
      });
    },
  );

  test.each([
    ["WAITING", ["cancel", "call", "no-show"]],
    ["IN_SERVICE", ["call-again", "complete", "no-show", "requeue", "undo"]],
    ["COMPLETED", ["undo"]],
    ["CANCELED", ["undo"]],
    ["NO_SHOW", ["undo"]],
  ] as const)("from %s is one of %j", (status, allowed) => {
    const all = ["cancel", "call", "call-again", "complete", "no-show", "requeue", "undo"] as const;
    const isAllowed = (by: Transition) =>
      applyTransition({ ...waiting, status, revision: 1 }, by, { now: 3000 }) !== null;
    expect(all.filter(isAllowed)).toEqual(allowed);
  });

  test("never sets a time before the previous one", () => {
    expect(applyTransition(waiting, "call", { now: 500 })?.startedAt).toBe(1000);
    expect(applyTransition(serving, "complete", { now: 1500 })?.completedAt).toBe(2000);
  });

  test("is refused on another revision than the one that was seen", () => {
    expect(applyTransition(serving, "complete", { now: 3000, seen: 1 })?.status).toBe("COMPLETED");
    expect(applyTransition(serving, "complete", { now: 3000, seen: 0 })).toBeNull();
    expect(applyTransition(waiting, "priority", { now: 3000, seen: 0 })?.priority).toBe(true);
    expect(applyTransition(waiting, "priority", { now: 3000, seen: 1 })).toBeNull();
  });
});

describe("undo", () => {
  test.each([
    ["a call", waiting, "call"],
    ["a cancellation", waiting, "cancel"],
    ["a no-show of a waiting entry", waiting, "no-show"],
    ["a no-show of an entry in service", serving, "no-show"],
    ["the end of a service", serving, "complete"],
  ] as const)("takes back %s and leaves only a new revision", (_, from, transition) => {
    const revision = from.revision + 2;
    expect(afterTransitions(from, transition, "undo")).toEqual({ ...from, revision });
  });
});

describe("a call", () => {
  test("has a counter until the entry is requeued", () => {
    const called = applyTransition(waiting, "call", { now: 3000, counter: "counter 2" });
    expect(called?.counter).toBe("counter 2");
    expect(called && afterTransitions(called, "call-again").counter).toBe("counter 2");
    expect(called && afterTransitions(called, "complete").counter).toBe("counter 2");
    expect(called && afterTransitions(called, "requeue").counter).toBeNull();
    expect(called && afterTransitions(called, "undo").counter).toBeNull();
  });

  test("from another counter replaces the counter", () => {
    const again = { now: 3000, counter: "counter 5" };
    const called = applyTransition({ ...serving, counter: "counter 2" }, "call-again", again);
    expect(called?.counter).toBe("counter 5");
  });

  test("is counted, including calls before a requeue", () => {
    expect(afterTransitions(waiting, "call", "call-again", "requeue", "call").calls).toBe(3);
  });
});

const laboratory: Queue = { ...front, id: "l".repeat(24), tokenSeries: "L" };
const paused = { ...laboratory, isTokenCreationPaused: true };
const inactive = { ...laboratory, isActive: false };
const target = { queue: laboratory, lastNumber: 6 };
const today = waiting.date;

describe("a transfer to another queue", () => {
  test("gives the same entry the next number there, and keeps the token that it left", () => {
    const { queueId, tokenSeries, tokenNumber } = serving;
    expect(transferred(serving, target)).toEqual({
      ...serving,
      queueId: laboratory.id,
      tokenSeries: "L",
      tokenNumber: 7,
      status: "WAITING",
      startedAt: null,
      calls: 0,
      counter: null,
      revision: 2,
      earlierTokens: [
        {
          queueId,
          tokenSeries,
          tokenNumber,
          leftAtRevision: 2,
          status: "IN_SERVICE",
          startedAt: 2000,
          calls: 1,
          counter: null,
        },
      ],
    });
  });

  test.each([
    ["an ended entry", { ...waiting, status: "COMPLETED" } as Entry, target, "invalid_state"],
    ["an entry of another day", { ...waiting, date: "2026-11-20" }, target, "other_day"],
    ["an unknown queue", waiting, null, "queue_not_found"],
    ["the queue where the person is", { ...waiting, queueId: laboratory.id }, target, "same_queue"],
    [
      "a person who was transferred 100 times",
      { ...waiting, earlierTokens: Array(100).fill({}) },
      target,
      "transferred_too_often",
    ],
    ["a full queue", waiting, { ...target, lastNumber: 10_000 }, "plan_limit_reached"],
    ["a paused queue", waiting, { ...target, queue: paused }, "queue_paused"],
    ["an inactive queue", waiting, { ...target, queue: inactive }, "queue_unavailable"],
    ["any other", serving, target, null],
  ])("is refused for some: %s", (_, entry, to, refusal) => {
    expect(refuseTransfer(entry, to, { today })).toBe(refusal);
  });

  test("is refused on another revision than the one that was seen", () => {
    expect(refuseTransfer(serving, target, { today, seen: 0 })).toBe("invalid_state");
    expect(refuseTransfer(serving, target, { today, seen: 1 })).toBeNull();
  });

  test.each([
    ["waited", waiting],
    ["was in service", serving],
  ])("is taken back by undo, for a person who %s", (_, before) => {
    const away = transferred(before, target);
    expect(canUndoTransfer(away)).toBe(true);
    const home = applyTransition(away, "undo", { now: 3000 });
    expect(home).toMatchObject({ ...before, revision: before.revision + 2, earlierTokens: [{}] });
    expect(home?.earlierTokens).toMatchObject([{ tokenSeries: "L", tokenNumber: 7 }]);
    expect(home && tokensBeforeTransfers(home)).toEqual([]);
    expect(home && canUndoTransfer(home)).toBe(false);
  });

  test("stays after any other change", () => {
    const first = applyTransition(transferred(waiting, target), "priority", { now: 3000 });
    if (!first) throw new Error("the entry waits");
    expect(canUndoTransfer(first)).toBe(false);
    expect(applyTransition(first, "undo", { now: 3000 })).toBeNull();
    expect(tokensBeforeTransfers(first)).toMatchObject([{ tokenSeries: "A", tokenNumber: 1 }]);
  });

  test("is followed by undo of a call, and not of the transfer", () => {
    const called = afterTransitions(transferred(waiting, target), "call", "undo");
    expect(called).toMatchObject({ status: "WAITING", tokenSeries: "L" });
    expect(applyTransition(called, "undo", { now: 3000 })).toBeNull();
  });
});

const correction = {
  customerName: "Zoë",
  customerPhone: null,
  phoneIsInternational: false,
  serviceId: "s".repeat(24),
  workMinutes: 15,
};

test("a correction changes the name, phone number and service of an entry in any status", () => {
  expect(corrected(serving, correction)).toEqual({ ...serving, ...correction, revision: 2 });
  expect(corrected(serving, correction, { seen: 0 })).toBeNull();
});
