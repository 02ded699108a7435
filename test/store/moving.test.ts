import { describe, expect, it } from "vitest";
import type { Entry } from "../../server/src/rules/records.js";
import { type Move, moved } from "../../server/src/rules/transitions.js";
import { adapters, start } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  auditRow,
  back,
  chair,
  clinic,
  consult,
  entry,
  front,
  id,
  salon,
  today,
  token,
  tomorrow,
} from "./support/records.js";
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
    const find = (name: string) => store.entries.get(clinic.id, id(name));
    const read = async (name: string): Promise<Entry> => {
      const found = await find(name);
      if (!found) throw new Error(`there is no ${name}`);
      return found.entry;
    };
    const move = (name: string, by: Move, seen: number | null = null) =>
      store.entries.move(clinic.id, id(name), by, now, { seen });
    const transfer = (name: string, queueId = back.id, seen: number | null = null) =>
      store.entries.transfer(clinic.id, id(name), queueId, { seen });
    const ahead = async (name: string) => (await find(name))?.line?.ahead.people ?? null;
    const day = (queueId = front.id) => store.queues.day(clinic.id, queueId, today);
    const countsOf = async (queueId: string) => (await day(queueId))?.counts;
    return { store, read, move, transfer, ahead, day, countsOf };
  }

  it("is what the rule says, and is stored with its audit row", async () => {
    const { store, read, move } = await fourWait();
    for (const by of ["call", "call-again", "complete", "undo", "no-show", "undo"] as const) {
      const before = await read("one");
      const outcome = await move("one", by);
      expect(outcome).toEqual({ outcome: "moved", entry: moved(before, by, { now }) });
      expect(outcome).toMatchObject({ entry: await read("one") });
    }
    const audit = auditRow("1");
    await store.entries.move(clinic.id, id("one"), "requeue", now, { audit });
    await store.entries.move(clinic.id, id("one"), "requeue", now, { audit: auditRow("no") });
    expect(await auditLog(store, clinic.id, 10)).toEqual([audit]);
  });

  it("that the status does not allow, or that was decided on another revision, stores nothing", async () => {
    const { store, read, move, transfer } = await fourWait();
    await move("one", "call", 0);
    await move("one", "complete", 1);
    const before = await read("one");
    const refused = { outcome: "invalid_state", status: "COMPLETED" };
    expect(await move("one", "cancel")).toEqual(refused);
    expect(await move("one", "undo", 1)).toEqual(refused);
    expect(await transfer("one")).toEqual(refused);
    expect(await store.entries.setPriority(clinic.id, id("one"), true)).toEqual(refused);
    expect(await read("one")).toEqual(before);
    expect(await move("one", "undo", 2)).toMatchObject({ outcome: "moved" });
    const late = store.entries.callIfNext(clinic.id, id("two"), now, { seen: 1 });
    expect(await late).toEqual({ outcome: "invalid_state", status: "WAITING" });
  });

  it("does not find the entry of another business", async () => {
    const { store, read } = await fourWait();
    const before = await read("one");
    const notFound = { outcome: "not_found" };
    for (const [businessId, entryId] of [
      [salon.id, id("one")],
      [clinic.id, id("none")],
    ] as const) {
      expect(await store.entries.move(businessId, entryId, "cancel", now)).toEqual(notFound);
      expect(await store.entries.transfer(businessId, entryId, chair.id)).toEqual(notFound);
    }
    expect(await read("one")).toEqual(before);
  });

  it("happens once under concurrent requests", async () => {
    const { move } = await fourWait();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => move("one", "cancel")));
    expect(outcomes.filter(({ outcome }) => outcome === "moved")).toHaveLength(1);
  });

  it("moves the entries behind up, and undo puts the person back in the same position", async () => {
    const { read, move, ahead, day } = await fourWait();
    const [before, dayBefore] = [await read("two"), await day()];
    for (const by of ["call", "cancel", "no-show"] as const) {
      await move("two", by);
      expect(await ahead("three")).toBe(1);
      await move("two", "undo");
      expect([await ahead("one"), await ahead("two"), await ahead("three")]).toEqual([0, 1, 2]);
    }
    expect(await read("two")).toEqual({ ...before, revision: 6 });
    expect(await day()).toEqual(dayBefore);
  });

  it("is undone with its time in the pace", async () => {
    const { move, day } = await fourWait();
    await move("one", "call");
    const before = await day();
    await move("one", "complete");
    expect((await day())?.pace.finished).toBe(1);
    await move("one", "undo");
    expect(await day()).toEqual(before);
  });

  it("corrects the name, the phone number and the service, and the waits behind", async () => {
    const { store, read } = await fourWait();
    const before = await read("one");
    const correction = {
      ...{ customerName: "Zoë", customerPhone: null, phoneIsInternational: false },
      ...{ serviceId: null, workMinutes: null },
    };
    const options = { seen: 0, audit: auditRow("correct") };
    const corrected = await store.entries.correct(clinic.id, id("one"), correction, options);
    expect(corrected).toEqual({
      outcome: "moved",
      entry: { ...before, ...correction, revision: 1 },
    });
    const late = await store.entries.correct(clinic.id, id("one"), correction, options);
    expect(late).toEqual({ outcome: "invalid_state", status: "WAITING" });
    expect(await auditLog(store, clinic.id, 10)).toEqual([auditRow("correct")]);
    const behind = await store.entries.get(clinic.id, id("two"));
    expect(behind?.line?.ahead).toEqual({ people: 1, knownMinutes: 0, unknown: 1 });
  });

  describe("to another queue", () => {
    it("keeps the entry, and gives it the next number there", async () => {
      const { read, transfer, ahead, countsOf } = await fourWait();
      const before = await read("two");
      expect(await transfer("two")).toMatchObject({ outcome: "moved" });
      const { queueId, tokenSeries, tokenNumber } = before;
      const left = { status: "WAITING", startedAt: null, calls: 0, counter: null } as const;
      expect(await read("two")).toEqual({
        ...{ ...before, queueId: back.id, tokenSeries: "B", tokenNumber: 2, revision: 1 },
        earlierPlaces: [{ queueId, tokenSeries, tokenNumber, ...left, leftAtRevision: 1 }],
      });
      expect([await ahead("three"), await ahead("two")]).toEqual([1, 1]);
      expect(await countsOf(front.id)).toMatchObject({ WAITING: 2, CANCELED: 0 });
      expect(await countsOf(back.id)).toMatchObject({ WAITING: 2, CANCELED: 0 });
    });

    it("is possible in service, and keeps the priority and the first time of issue", async () => {
      const { store, read, move, transfer, ahead } = await fourWait();
      await store.entries.setPriority(clinic.id, id("one"), true);
      await move("one", "call");
      await transfer("one");
      expect(await read("one")).toMatchObject({
        ...{ status: "WAITING", priority: true, calls: 0, startedAt: null, issuedAt: start },
      });
      expect([await ahead("one"), await ahead("other")]).toEqual([0, 1]);
    });

    it("stores its audit row, and none when it is refused", async () => {
      const { store } = await fourWait();
      const to = (seen: number, name: string) =>
        store.entries.transfer(clinic.id, id("one"), back.id, { seen, audit: auditRow(name) });
      await to(0, "1");
      await to(0, "2");
      expect(await auditLog(store, clinic.id, 10)).toEqual([auditRow("1")]);
    });

    it("is refused where a creation is refused, and the entry does not change", async () => {
      const { store, read, transfer } = await fourWait();
      const before = await read("one");
      expect(await transfer("one", front.id)).toEqual({ outcome: "same_queue" });
      expect(await transfer("one", chair.id)).toEqual({ outcome: "queue_not_found" });
      expect(await transfer("one", id("none"))).toEqual({ outcome: "queue_not_found" });
      await store.queues.change(clinic.id, back.id, { isTokenCreationPaused: true });
      expect(await transfer("one")).toEqual({ outcome: "queue_paused" });
      await store.queues.change(clinic.id, back.id, { isActive: false });
      expect(await transfer("one")).toEqual({ outcome: "queue_unavailable" });
      expect(await read("one")).toEqual(before);
    });

    it("is no further token of the day", async () => {
      const { store, transfer } = await fourWait();
      await store.businesses.change(clinic.id, { dailyTokenLimit: 5 });
      for (const name of ["one", "two"]) {
        expect(await transfer(name)).toMatchObject({ outcome: "moved" });
      }
      expect((await store.entries.issue(clinic.id, token("five"))).outcome).toBe("issued");
      const six = await store.entries.issue(clinic.id, token("six", { queueId: back.id }));
      expect(six).toEqual({ outcome: "plan_limit_reached" });
    });

    it.each(["waited", "was in service"])("is undone for a person who %s", async (state) => {
      const { read, move, transfer, ahead, day } = await fourWait();
      if (state === "was in service") await move("two", "call");
      const [before, dayBefore] = [await read("two"), await day()];
      await transfer("two");
      const { revision } = await read("two");
      expect(await move("two", "undo", revision)).toMatchObject({ outcome: "moved" });
      const { earlierPlaces, ...after } = await read("two");
      const { earlierPlaces: _, ...expected } = before;
      expect(after).toEqual({ ...expected, revision: revision + 1 });
      expect(earlierPlaces).toMatchObject([{ queueId: back.id, tokenNumber: 2 }]);
      expect(await day()).toEqual(dayBefore);
      expect(await ahead("other")).toBe(0);
    });

    it("stays after any other change", async () => {
      const { store, read, move, transfer } = await fourWait();
      await transfer("one");
      await store.entries.setPriority(clinic.id, id("one"), true);
      expect(await move("one", "undo")).toEqual({ outcome: "invalid_state", status: "WAITING" });
      expect(await read("one")).toMatchObject({ queueId: back.id, priority: true });
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

  it("calls priority first, then token order, until the line is empty", async () => {
    const { store } = await opened.with({
      entries: [
        entry(1, { status: "NO_SHOW" }),
        entry(2),
        entry(3, { priority: true }),
        entry(4, { date: tomorrow }),
      ],
    });
    const call = () => store.entries.callNext(clinic.id, front.id, today, now);
    const called = { status: "IN_SERVICE", startedAt: now, revision: 1, calls: 1 } as const;
    expect(await call()).toEqual(entry(3, { priority: true, ...called }));
    expect((await call())?.tokenNumber).toBe(2);
    expect(await call()).toBeNull();
    await store.entries.issue(salon.id, token("t", { queueId: chair.id }));
    expect(await store.entries.callNext(clinic.id, chair.id, today, now)).toBeNull();
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
      const { entries } = store;
      const acted =
        by === "call"
          ? await entries.callIfNext(clinic.id, id("one"), now, { seen })
          : await entries.move(clinic.id, id("one"), by, now, { seen });
      return acted.outcome;
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
