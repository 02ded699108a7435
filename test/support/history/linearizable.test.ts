import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call, Created, Listed, Operation } from "./history.js";
import { whyNotLinearizable } from "./linearizable.js";

/** A call before it has a result. */
const intentions = fc.array(
  fc.record({
    does: fc.constantFrom("create", "create", "create", "again", "cancel", "next", "place"),
    whom: fc.nat(),
    /** The time from the start to the effect, and from the effect to the end. Operations overlap. */
    earlier: fc.nat({ max: 4 }),
    later: fc.nat({ max: 4 }),
    /** Whether the caller received no result. */
    isOpen: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

type Intention = typeof intentions extends fc.Arbitrary<readonly (infer Value)[]> ? Value : never;

/** A simple queue that executes one operation at a time. The checker's model is compared with it. */
class PlainQueue {
  readonly #entries: { id: string; key: string; number: number; status: string }[] = [];
  readonly #answers = new Map<string, Created>();

  #waiting() {
    return this.#entries.filter(({ status }) => status === "WAITING");
  }

  does({ does, whom }: Intention): Call {
    const keys = [...this.#answers.keys()];
    const someone = this.#entries[whom % Math.max(1, this.#entries.length)];
    if (does === "again" && keys.length > 0) return this.#create(keys[whom % keys.length] ?? "");
    if (does === "next") {
      const first = this.#waiting()[0];
      if (first) first.status = "IN_SERVICE";
      return { does, result: first?.id ?? "nobody" };
    }
    if (does === "place" && someone) {
      const place = this.#waiting().indexOf(someone);
      return { does, id: someone.id, result: { position: place < 0 ? null : place + 1 } };
    }
    if (does === "cancel" && someone) {
      const waits = someone.status === "WAITING";
      if (waits) someone.status = "CANCELED";
      return { does, id: someone.id, result: waits ? "canceled" : "refused" };
    }
    return this.#create(`key ${this.#entries.length}`);
  }

  #create(key: string): Call {
    const known = this.#answers.get(key);
    if (known) return { does: "create", key, result: known };
    const number = this.#entries.length + 1;
    const id = `entry ${number}`;
    this.#entries.push({ id, key, number, status: "WAITING" });
    const result = { id, number, position: this.#waiting().length, text: `answer ${number}` };
    this.#answers.set(key, result);
    return { does: "create", key, result };
  }

  list(): readonly Listed[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }
}

/** The history of a simple queue. Each call takes effect at one instant between its start and end. A list of all entries comes last. */
function historyOf(intended: readonly Intention[], { overlap = true } = {}): Operation[] {
  const queue = new PlainQueue();
  const operations = intended.map((intention, at): Operation => {
    const instant = at * 2;
    const call = queue.does(intention);
    const invoked = instant - (overlap ? intention.earlier : 0.5);
    if (overlap && intention.isOpen) {
      return { ...call, result: null, invoked, answered: Number.POSITIVE_INFINITY } as Operation;
    }
    return { ...call, invoked, answered: instant + (overlap ? intention.later : 0.5) };
  });
  const end = intended.length * 2 + 10;
  return [...operations, { does: "list", result: queue.list(), invoked: end, answered: end + 1 }];
}

/** A history in which one operation has another result. Null if it has no such operation. */
function changed(
  history: readonly Operation[],
  isMeant: (operation: Operation) => boolean,
  change: (operation: Operation) => Operation,
): Operation[] | null {
  const at = history.findLastIndex(isMeant);
  return at < 0 ? null : history.map((each, place) => (place === at ? change(each) : each));
}

const isCreated = (operation: Operation) =>
  operation.does === "create" && operation.result !== null && operation.result !== "refused";

function createdBy(operation: Operation): Created {
  if (operation.does !== "create" || typeof operation.result !== "object" || !operation.result) {
    throw new Error("The operation created no entry.");
  }
  return operation.result;
}

/** Expects that the checker finds the error in each history that can contain it, without overlap. */
function expectFound(wrong: (history: Operation[]) => Operation[] | null): void {
  let had = 0;
  fc.assert(
    fc.property(intentions, (intended) => {
      const history = wrong(historyOf(intended, { overlap: false }));
      if (!history) return;
      had++;
      expect(whyNotLinearizable(history)).not.toBe(null);
    }),
    { numRuns: 200 },
  );
  expect(had).toBeGreaterThan(20);
}

const created = (number: number, position: number, invoked: number): Operation => ({
  ...{ does: "create", key: `key ${number}`, invoked, answered: invoked + 1 },
  result: { id: `entry ${number}`, number, position, text: null },
});

const listed = (number: number) => ({
  ...{ id: `entry ${number}`, key: `key ${number}`, number, status: "WAITING" },
});

describe("the checker of histories", () => {
  it("accepts the history of a sequential queue, with any overlap of the calls", () => {
    fc.assert(
      fc.property(intentions, (intended) => {
        expect(whyNotLinearizable(historyOf(intended))).toBe(null);
      }),
      { numRuns: 500 },
    );
  });

  it("accepts a long history of several concurrent callers", () => {
    const intended = Array.from(
      { length: 600 },
      (_, at): Intention => ({
        ...{ does: at % 5 === 4 ? "cancel" : "create", whom: at },
        ...{ earlier: at % 5, later: (at * 3) % 5, isOpen: at % 7 === 0 },
      }),
    );
    expect(whyNotLinearizable(historyOf(intended))).toBe(null);
  });

  it("finds a duplicate token number", () => {
    expectFound((history) => {
      const first = history.find(isCreated);
      return changed(
        history,
        (each) =>
          isCreated(each) &&
          each !== first &&
          createdBy(each).id !== (first && createdBy(first).id),
        (each) =>
          ({
            ...each,
            result: { ...createdBy(each), number: first && createdBy(first).number },
          }) as Operation,
      );
    });
  });

  it("finds an acknowledged entry that is lost", () => {
    expectFound((history) => {
      const created = history.find(isCreated);
      if (!created) return null;
      return changed(
        history,
        ({ does }) => does === "list",
        (list) =>
          ({
            ...list,
            result: (list.result as readonly Listed[]).filter(
              ({ id }) => id !== createdBy(created).id,
            ),
          }) as Operation,
      );
    });
  });

  it("finds an entry without a creation", () => {
    expectFound((history) =>
      changed(
        history,
        ({ does }) => does === "list",
        (list) => {
          const more = { id: "entry 0", key: "nobody's", number: 999, status: "WAITING" };
          return { ...list, result: [...(list.result as readonly Listed[]), more] } as Operation;
        },
      ),
    );
  });

  it("finds two different responses to one creation", () => {
    expectFound((history) => {
      const last = history.findLast(isCreated);
      if (last?.does !== "create") return null;
      const isReplayed = history.some(
        (each) => each !== last && each.does === "create" && each.key === last.key,
      );
      if (!isReplayed) return null;
      return changed(
        history,
        (each) => each === last,
        (each) =>
          ({ ...each, result: { ...createdBy(each), text: "another answer" } }) as Operation,
      );
    });
  });

  it("finds a wrong position", () => {
    expectFound((history) => {
      const first = new Set<string>();
      const creations = history.filter((each) => {
        if (!isCreated(each) || each.does !== "create" || first.has(each.key)) return false;
        first.add(each.key);
        return true;
      });
      const last = creations.at(-1);
      if (!last) return null;
      const { position, ...result } = createdBy(last);
      return history
        .filter(
          (each) =>
            each === last ||
            !(each.does === "create" && last.does === "create" && each.key === last.key),
        )
        .map((each) =>
          each === last
            ? ({ ...each, result: { ...result, position: (position ?? 0) + 1 } } as Operation)
            : each,
        );
    });
  });

  it("finds a position of an entry that was canceled before", () => {
    const created = { id: "entry 1", number: 1, position: 1, text: "answer 1" };
    const history: Operation[] = [
      { does: "create", key: "key 1", result: created, invoked: 1, answered: 2 },
      { does: "cancel", id: "entry 1", result: "canceled", invoked: 3, answered: 5 },
      { does: "place", id: "entry 1", result: { position: 1 }, invoked: 4, answered: 6 },
    ];
    expect(whyNotLinearizable(history)).toBe(null);
    const later = history.map((each) => (each.does === "place" ? { ...each, invoked: 5.5 } : each));
    expect(whyNotLinearizable(later)).not.toBe(null);
  });

  it("allows a position to count pending creations only with the option", () => {
    const result = (number: number) => ({
      id: `entry ${number}`,
      number,
      position: number,
      text: `${number}`,
    });
    const history: Operation[] = [
      { does: "create", key: "key 1", result: "refused", invoked: 1, answered: 9 },
      { does: "create", key: "key 2", result: result(2), invoked: 2, answered: 3 },
    ];
    expect(whyNotLinearizable(history)).not.toBe(null);
    expect(whyNotLinearizable(history, { countsPending: true })).toBe(null);
  });
  it("allows a position to count a failed creation until the queue has answered again", () => {
    const failed: Operation = {
      ...{ does: "create", key: "key 1", result: null, invoked: 1, answered: Infinity, failed: 9 },
    };
    const end = { invoked: 20, answered: 21 };
    const first: Operation[] = [
      ...[failed, created(2, 2, 10)],
      { does: "list", result: [listed(2)], ...end },
    ];
    const second = (position: number): Operation[] => [
      ...[failed, created(2, 2, 10), created(3, position, 12)],
      { does: "list", result: [listed(2), listed(3)], ...end },
    ];
    expect(whyNotLinearizable(first, { countsPending: true })).toBe(null);
    expect(whyNotLinearizable(first)).not.toBe(null);
    expect(whyNotLinearizable(second(2), { countsPending: true })).toBe(null);
    expect(whyNotLinearizable(second(3), { countsPending: true })).not.toBe(null);
  });

  it("allows a position to leave out a failed cancellation until the queue has answered again", () => {
    const failed: Operation = {
      ...{ does: "cancel", id: "entry 1", result: null, invoked: 3, answered: Infinity, failed: 9 },
    };
    const history = (second: number, third: number): Operation[] => [
      ...[created(1, 1, 1), failed, created(2, second, 10), created(3, third, 12)],
      {
        ...{ does: "list", result: [listed(1), listed(2), listed(3)], invoked: 20, answered: 21 },
      },
    ];
    expect(whyNotLinearizable(history(2, 3), { countsPending: true })).toBe(null);
    expect(whyNotLinearizable(history(1, 3), { countsPending: true })).toBe(null);
    expect(whyNotLinearizable(history(1, 3))).not.toBe(null);
    expect(whyNotLinearizable(history(0, 3), { countsPending: true })).not.toBe(null);
    expect(whyNotLinearizable(history(2, 2), { countsPending: true })).not.toBe(null);
  });
});
