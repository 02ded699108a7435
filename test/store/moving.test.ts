import { describe, expect, it } from "vitest";
import type { Entry } from "../../server/src/rules/records.js";
import type { Move } from "../../server/src/rules/transitions.js";
import { adapters, start } from "./support/adapters.js";
import { back, clinic, consult, front, id, today, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

const now = start + 1000;

describe.each(adapters)("a change of an entry in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  /** Three entries wait at the front desk, and one in the back room. */
  async function fourWait() {
    const { store } = opened();
    for (const name of ["one", "two", "three"]) {
      await store.entries.issue(clinic.id, token(name, { serviceId: consult.id }));
    }
    await store.entries.issue(clinic.id, token("other", { queueId: back.id }));
    const read = async (name: string): Promise<Entry> => {
      const found = await store.entries.get(clinic.id, id(name));
      if (!found) throw new Error(`there is no ${name}`);
      return found.entry;
    };
    const move = (name: string, by: Move, seen: number | null = null) =>
      store.entries.move(clinic.id, id(name), by, now, { seen });
    const transfer = (name: string, queueId = back.id, seen: number | null = null) =>
      store.entries.transfer(clinic.id, id(name), queueId, { seen });
    const countsOf = async (queueId: string) =>
      (await store.queues.day(clinic.id, queueId, today))?.counts;
    return { store, read, move, transfer, countsOf };
  }

  it("happens once under concurrent requests", async () => {
    const { move } = await fourWait();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => move("one", "cancel")));
    expect(outcomes.filter(({ outcome }) => outcome === "moved")).toHaveLength(1);
  });

  describe("to another queue", () => {
    it("never gives a number again, not even to the person who left it", async () => {
      const { read, transfer } = await fourWait();
      expect((await read("three")).tokenNumber).toBe(3);
      expect(await transfer("three")).toMatchObject({ outcome: "moved" });
      expect(await transfer("three", front.id)).toMatchObject({ entry: { tokenNumber: 4 } });
    });

    it("happens once under concurrent requests", async () => {
      const { read, transfer, countsOf } = await fourWait();
      const tries = Array.from({ length: 20 }, (_, n) =>
        transfer("one", back.id, n % 2 ? 0 : null),
      );
      const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "moved")).toHaveLength(1);
      expect((await read("one")).earlierPlaces).toHaveLength(1);
      expect(await countsOf(back.id)).toMatchObject({ WAITING: 2 });
    });
  });

  it("calls each entry once under concurrent calls of several counters", async () => {
    const { store } = await fourWait();
    const called = await Promise.all(
      Array.from({ length: 5 }, () => store.entries.callNext(clinic.id, front.id, today, now)),
    );
    const nobody = Number.POSITIVE_INFINITY;
    const numbers = called.map((entry) => entry?.tokenNumber ?? nobody);
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, nobody, nobody]);
  });

  const rounds = adapter.name === "mongo" ? 40 : 100;
  it(`happens once per successful response when requests race (${rounds} times)`, async () => {
    const { store, read, countsOf } = await fourWait();
    const act = async (by: "call" | "undo", seen: number): Promise<string> => {
      const move = by === "call" ? "next" : by;
      return (await store.entries.move(clinic.id, id("one"), move, now, { seen })).outcome;
    };
    const tally = { call: 0, undo: 0 };
    for (let round = 0; round < rounds; round++) {
      const { revision, status } = await read("one");
      const by = status === "WAITING" ? "call" : "undo";
      // Two taps in each of two browsers, all on the revision that they saw; then a late tap on an earlier revision.
      const taps = [by, by, by, by, by === "call" ? "undo" : "call"] as const;
      const outcomes = await Promise.all(taps.map((tap) => act(tap, revision)));
      expect(outcomes.filter((outcome) => outcome === "moved")).toHaveLength(1);
      expect(await act(by, revision)).toBe("invalid_state");
      tally[by]++;
      const after = await read("one");
      expect(after.revision).toBe(revision + 1);
      expect(after.calls).toBe(tally.call - tally.undo);
    }
    expect(tally).toEqual({ call: rounds / 2, undo: rounds / 2 });
    expect(await countsOf(front.id)).toMatchObject({ WAITING: 3, IN_SERVICE: 0 });
  });

  it("is never moved to a queue that is removed at the same time", async () => {
    const { store, read } = await fourWait();
    const pairs = Array.from({ length: 20 }, (_, n) => ({
      name: `person${n}`,
      room: id(`room${n}`),
    }));
    for (const { name, room } of pairs) {
      await store.entries.issue(clinic.id, token(name));
      await store.queues.add(clinic.id, { ...back, id: room });
    }
    for (const [n, { name, room }] of pairs.entries()) {
      const acts = [
        () => store.entries.transfer(clinic.id, id(name), room),
        () => store.queues.remove(clinic.id, room),
      ];
      if (n % 2 === 1) acts.reverse();
      await Promise.all(acts.map((act) => act()));
    }
    const queues = (await store.queues.list(clinic.id)).map((queue) => queue.id);
    for (const { name } of pairs) expect(queues).toContain((await read(name)).queueId);
  });

  it(`is in one queue when the undo of a move races with a call (${rounds} times)`, async () => {
    const { store, read, move, transfer } = await fourWait();
    for (let round = 0; round < rounds; round++) {
      const name = `round${round}`;
      await store.entries.issue(clinic.id, token(name));
      await transfer(name);
      const acts = [() => move(name, "undo", 1), () => move(name, "call", 1)];
      if (round % 2 === 1) acts.reverse();
      const ends = (await Promise.all(acts.map((act) => act()))).map(({ outcome }) => outcome);
      expect(ends.toSorted()).toEqual(["invalid_state", "moved"]);
      const { queueId, status } = await read(name);
      expect(status).toBe(queueId === front.id ? "WAITING" : "IN_SERVICE");
    }
  });
});
