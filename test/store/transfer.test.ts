import { describe, expect, it } from "vitest";
import type { Entry } from "../../server/src/rules/records.js";
import type { TransferRequest } from "../../server/src/rules/transfer.js";
import type { Store } from "../../server/src/store/store.js";
import { adapters, start } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  auditRow,
  back,
  chair,
  clinic,
  consult,
  front,
  id,
  salon,
  today,
  token,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

const now = start + 1000;

describe.each(adapters)("a transfer in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  /** Three entries wait at the front desk, and one in the back room. */
  async function fourWait() {
    const { store } = opened();
    for (const name of ["one", "two", "three"]) {
      await store.entries.issue(clinic.id, token(name, { serviceId: consult.id }));
    }
    await store.entries.issue(clinic.id, token("other", { queueId: back.id }));
    return deskOf(store);
  }

  function deskOf(store: Store) {
    const find = async (name: string) => store.entries.get(clinic.id, id(name));
    const read = async (name: string): Promise<Entry> => {
      const found = await find(name);
      if (!found) throw new Error(`there is no ${name}`);
      return found.entry;
    };
    const move = (name: string, by: "call" | "cancel" | "undo", seen: number | null = null) =>
      store.entries.move(clinic.id, id(name), by, now, { seen });
    const transfer = (name: string, as: string, changes: Partial<TransferRequest> = {}) => {
      const request = { id: id(as), queueId: back.id, dailyTokenLimit: null, ...changes };
      return store.entries.transfer(clinic.id, id(name), request, now);
    };
    const ahead = async (name: string) => (await find(name))?.line?.ahead.people ?? null;
    const countsOf = async (queueId: string) =>
      (await store.queues.day(clinic.id, queueId, today))?.counts;
    return { store, find, read, move, transfer, ahead, countsOf };
  }

  it("ends the old entry and issues a token in the other queue; each names the other", async () => {
    const { read, transfer, ahead, countsOf } = await fourWait();
    const before = await read("two");
    expect(await transfer("two", "moved")).toMatchObject({ outcome: "transferred" });
    expect(await read("two")).toEqual({
      ...{ ...before, status: "CANCELED", canceledAt: now },
      ...{ revision: 1, transferredTo: id("moved") },
    });
    expect(await read("moved")).toEqual({
      ...{ ...before, id: id("moved"), queueId: back.id, tokenSeries: "B", tokenNumber: 2 },
      ...{ issuedAt: now, transferredFrom: id("two") },
    });
    expect([await ahead("three"), await ahead("moved")]).toEqual([1, 1]);
    expect(await countsOf(front.id)).toMatchObject({ WAITING: 2, CANCELED: 1 });
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 2, CANCELED: 0 });
  });

  it("accepts an entry in service, and keeps its priority", async () => {
    const { store, read, move, transfer, ahead, countsOf } = await fourWait();
    await store.entries.setPriority(clinic.id, id("one"), true);
    await move("one", "call");
    await transfer("one", "moved");
    expect(await read("one")).toMatchObject({ status: "CANCELED", startedAt: now, calls: 1 });
    expect(await read("moved")).toMatchObject({ priority: true, calls: 0, startedAt: null });
    expect([await ahead("moved"), await ahead("other")]).toEqual([0, 1]);
    expect(await countsOf(front.id)).toMatchObject({ IN_SERVICE: 0, COMPLETED: 0, CANCELED: 1 });
  });

  it("stores its audit row, and none when it is refused", async () => {
    const { store, transfer } = await fourWait();
    const request = { id: id("moved"), queueId: back.id, dailyTokenLimit: null };
    const audit = auditRow("transfer");
    await store.entries.transfer(clinic.id, id("one"), request, now, { audit });
    await store.entries.transfer(clinic.id, id("one"), { ...request, id: id("again") }, now, {
      audit: auditRow("refused"),
    });
    expect(await auditLog(store, clinic.id, 10)).toEqual([audit]);
    expect(await transfer("none", "again")).toEqual({ outcome: "not_found" });
  });

  it("is refused where a creation is refused, and the entry does not change", async () => {
    const { store, find, read, transfer } = await fourWait();
    const before = await read("one");
    const to = (queueId: string) => transfer("one", "moved", { queueId });
    expect(await to(front.id)).toEqual({ outcome: "same_queue" });
    expect(await to(chair.id)).toEqual({ outcome: "queue_not_found" });
    expect(await to(id("none"))).toEqual({ outcome: "queue_not_found" });
    const ofSalon = { id: id("moved"), queueId: chair.id, dailyTokenLimit: null };
    const foreign = await store.entries.transfer(salon.id, id("one"), ofSalon, now);
    expect(foreign).toEqual({ outcome: "not_found" });
    await store.queues.change(clinic.id, back.id, { isTokenCreationPaused: true });
    expect(await to(back.id)).toEqual({ outcome: "queue_paused" });
    await store.queues.change(clinic.id, back.id, { isActive: false });
    expect(await to(back.id)).toEqual({ outcome: "queue_unavailable" });
    expect(await read("one")).toEqual(before);
    expect(await find("moved")).toBeNull();
  });

  it("counts as a token of the day, so the plan limit can refuse it", async () => {
    const { read, transfer } = await fourWait();
    const limited = (name: string, as: string) => transfer(name, as, { dailyTokenLimit: 5 });
    expect(await limited("one", "moved")).toMatchObject({ outcome: "transferred" });
    expect(await limited("two", "more")).toEqual({ outcome: "plan_limit_reached" });
    expect((await read("two")).status).toBe("WAITING");
  });

  it("is refused on another revision than the one that was seen, and after the entry ended", async () => {
    const { store, move, transfer } = await fourWait();
    await move("one", "call");
    const request = { id: id("moved"), queueId: back.id, dailyTokenLimit: null };
    const late = store.entries.transfer(clinic.id, id("one"), request, now, { seen: 0 });
    expect(await late).toEqual({ outcome: "invalid_state", status: "IN_SERVICE" });
    await move("two", "cancel");
    const gone = await transfer("two", "moved");
    expect(gone).toEqual({ outcome: "invalid_state", status: "CANCELED" });
  });

  it("can be the first entry of a queue's day", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("one"));
    const { transfer, read, countsOf } = deskOf(store);
    await transfer("one", "moved");
    expect(await read("moved")).toMatchObject({ tokenSeries: "B", tokenNumber: 1 });
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 1 });
  });

  describe("that is undone", () => {
    it.each(["waiting", "in service"])("restores a person who was %s", async (state) => {
      const { store, read, move, transfer, ahead, countsOf } = await fourWait();
      if (state === "in service") await move("two", "call");
      const day = () => store.queues.day(clinic.id, front.id, today);
      const [before, dayBefore] = [await read("two"), await day()];
      await transfer("two", "moved");
      const { revision } = await read("two");
      expect(await move("two", "undo", revision)).toMatchObject({ outcome: "moved" });
      expect(await read("two")).toEqual({ ...before, revision: revision + 1 });
      expect(await day()).toEqual(dayBefore);
      expect(await read("moved")).toMatchObject({ status: "CANCELED", transferredTo: id("two") });
      expect([await ahead("other"), await ahead("moved")]).toEqual([0, null]);
      expect(await countsOf(back.id)).toMatchObject({ WAITING: 1, CANCELED: 1 });
    });

    it("is refused after any change of the new token", async () => {
      const { store, read, move, transfer } = await fourWait();
      await transfer("one", "moved");
      await store.entries.setPriority(clinic.id, id("moved"), true);
      const before = [await read("one"), await read("moved")];
      const refused = { outcome: "invalid_state", status: "CANCELED" };
      expect(await move("one", "undo", 1)).toEqual(refused);
      expect([await read("one"), await read("moved")]).toEqual(before);
    });

    it("cannot itself be undone, which would put the person in two lines", async () => {
      const { read, move, transfer } = await fourWait();
      await transfer("one", "moved");
      await move("one", "undo", 1);
      expect(await move("moved", "undo", 1)).toMatchObject({ outcome: "invalid_state" });
      expect(await move("moved", "undo")).toMatchObject({ outcome: "invalid_state" });
      expect(await transfer("one", "later")).toMatchObject({ outcome: "transferred" });
      expect(await read("later")).toMatchObject({ tokenNumber: 3 }); // numbers are never reused
    });

    it("goes back one queue at a time", async () => {
      const { move, transfer, read } = await fourWait();
      await transfer("one", "moved");
      await transfer("moved", "home", { queueId: front.id });
      expect(await move("one", "undo", 1)).toMatchObject({ outcome: "invalid_state" });
      expect(await move("moved", "undo", 1)).toMatchObject({ outcome: "moved" });
      expect(await read("moved")).toMatchObject({ status: "WAITING", transferredTo: null });
      expect(await move("one", "undo", 1)).toMatchObject({ outcome: "invalid_state" });
    });
  });

  it("issues one new token under concurrent requests", async () => {
    const { read, store, countsOf } = await fourWait();
    const tries = Array.from({ length: 20 }, (_, n) =>
      store.entries.transfer(
        clinic.id,
        id("one"),
        { id: id(`moved${n}`), queueId: back.id, dailyTokenLimit: null },
        now,
        { seen: n % 2 === 0 ? 0 : null },
      ),
    );
    const outcomes = await Promise.all(tries);
    const made = outcomes.flatMap((end, n) => (end.outcome === "transferred" ? [n] : []));
    expect(made).toHaveLength(1);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(
      new Set(["transferred", "invalid_state"]),
    );
    expect((await read("one")).transferredTo).toBe(id(`moved${made[0]}`));
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 2, CANCELED: 0 });
    expect(await countsOf(front.id)).toMatchObject({ WAITING: 2, CANCELED: 1 });
  });

  const rounds = adapter.name === "mongo" ? 20 : 100;
  it(`is in one line when its undo races with a call of the new token (${rounds} times)`, async () => {
    const { store, read, move } = await fourWait();
    let [undone, called] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const name = `round${round}`;
      const as = `moved${round}`;
      await store.entries.issue(clinic.id, token(name));
      const request = { id: id(as), queueId: back.id, dailyTokenLimit: null };
      await store.entries.transfer(clinic.id, id(name), request, now);
      const acts = [() => move(name, "undo", 1), () => move(as, "call", 0)];
      if (round % 2 === 1) acts.reverse();
      const ends = (await Promise.all(acts.map((act) => act()))).map(({ outcome }) => outcome);
      expect(ends.toSorted()).toEqual(["invalid_state", "moved"]);
      const [old, joined] = [await read(name), await read(as)];
      if (old.status === "WAITING") {
        expect(joined).toMatchObject({ status: "CANCELED", transferredTo: old.id });
        undone++;
      } else {
        expect(joined).toMatchObject({ status: "IN_SERVICE", transferredFrom: old.id });
        called++;
      }
    }
    expect(undone + called).toBe(rounds);
    if (adapter.inOrder) expect([undone, called]).toEqual([rounds / 2, rounds / 2]);
    const counts = async (queueId: string) =>
      (await store.queues.day(clinic.id, queueId, today))?.counts;
    expect(await counts(front.id)).toMatchObject({ WAITING: 3 + undone, CANCELED: called });
    expect(await counts(back.id)).toMatchObject({ WAITING: 1, IN_SERVICE: called });
  });
});
