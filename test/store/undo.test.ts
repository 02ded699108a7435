import { describe, expect, it } from "vitest";
import type { Entry } from "../../server/src/rules/records.js";
import type { Move } from "../../server/src/rules/transitions.js";
import { adapters, start } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import { auditRow, clinic, front, id, today, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

const now = start + 1000;

describe.each(adapters)("undo in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  /** Three entries wait in the clinic. */
  async function threeWait() {
    const { store } = opened();
    for (const name of ["one", "two", "three"]) await store.entries.issue(clinic.id, token(name));
    const read = async (name: string): Promise<Entry> => {
      const found = await store.entries.get(clinic.id, id(name));
      if (!found) throw new Error(`there is no ${name}`);
      return found.entry;
    };
    const move = (name: string, by: Move, seen: number | null = null) =>
      store.entries.move(clinic.id, id(name), by, now, { seen });
    const ahead = async (name: string) =>
      (await store.entries.get(clinic.id, id(name)))?.line?.ahead.people ?? null;
    const day = () => store.queues.day(clinic.id, front.id, today);
    return { store, read, move, ahead, day };
  }

  it.each(["call", "cancel", "no-show"] as const)(
    "puts a person back in the same position after %s",
    async (by) => {
      const { read, move, ahead, day } = await threeWait();
      const [before, dayBefore] = [await read("two"), await day()];
      await move("two", by);
      expect(await ahead("three")).toBe(1);
      expect(await move("two", "undo", 1)).toMatchObject({ outcome: "moved" });
      expect(await read("two")).toEqual({ ...before, revision: 2 });
      expect([await ahead("one"), await ahead("two"), await ahead("three")]).toEqual([0, 1, 2]);
      expect(await day()).toEqual(dayBefore);
    },
  );

  it("puts a completed entry back in service, and removes its time from the pace", async () => {
    const { read, move, day } = await threeWait();
    await move("one", "call");
    const [before, dayBefore] = [await read("one"), await day()];
    await move("one", "complete");
    await move("one", "undo", 2);
    expect(await read("one")).toEqual({ ...before, revision: 3 });
    expect(await day()).toEqual(dayBefore);
  });

  it("does not take back a later move, and stores no audit row", async () => {
    const { store, read, move } = await threeWait();
    await move("one", "call");
    await move("one", "complete");
    const before = await read("one");
    const outcome = await store.entries.move(clinic.id, id("one"), "undo", now, {
      ...{ seen: 1, audit: auditRow("undo") },
    });
    expect(outcome).toEqual({ outcome: "invalid_state", status: "COMPLETED" });
    expect(await read("one")).toEqual(before);
    expect(await auditLog(store, clinic.id, 10)).not.toContainEqual(auditRow("undo"));
  });

  it("refuses a call that was decided on an earlier revision", async () => {
    const { store, move } = await threeWait();
    await move("one", "call", 0);
    await move("one", "undo", 1);
    expect(await move("one", "call", 0)).toMatchObject({ outcome: "invalid_state" });
    const next = store.entries.callIfNext(clinic.id, id("one"), now, { seen: 0 });
    expect(await next).toMatchObject({ outcome: "invalid_state", status: "WAITING" });
    expect(await move("one", "call", 2)).toMatchObject({ outcome: "moved" });
  });

  it("does not change the stored result of a creation", async () => {
    const { store, move } = await threeWait();
    const request = { key: "key-0001", fingerprint: "body", owner: "owner1" };
    const claimed = await store.idempotency.claim(clinic.id, request);
    if (claimed.outcome !== "claimed") throw new Error("the key was not free");
    const { claim } = claimed;
    const issued = await store.entries.issue(clinic.id, { ...token("four"), claim });
    await move("four", "cancel");
    await move("four", "undo", 1);
    const again = await store.idempotency.claim(clinic.id, { ...request, owner: "owner2" });
    const { receipt } = issued as { receipt: string };
    expect(again).toMatchObject({ outcome: "replay", receipt });
  });

  const rounds = adapter.name === "mongo" ? 60 : 200;
  it(`happens once per successful response when requests race (${rounds} times)`, async () => {
    const { store, read } = await threeWait();
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
    const { counts } = (await store.queues.day(clinic.id, front.id, today)) ?? {};
    expect(counts).toMatchObject({ WAITING: 3, IN_SERVICE: 0 });
  });
});
