import { describe, expect } from "vitest";
import { start } from "../store/support/adapters.js";
import {
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
} from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

const zero = { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 };
const served = (startedAt: number) => ({ status: "IN_SERVICE", startedAt }) as const;

describe("the board", () => {
  const entries = [
    entry(1, served(start + 2)),
    entry(2, served(start + 1)),
    entry(3, served(start + 2)),
    entry(4, { workMinutes: 10 }),
    entry(5, { workMinutes: 20 }),
    entry(6, { priority: true, workMinutes: 30 }),
    entry(7, { queueId: back.id }),
    entry(8, { date: tomorrow }),
  ];
  const [one, two, three, four, five, six, seven] = entries;
  const whole = { limit: 10, part: null };

  it("shows each queue in its order: who is served, who is next, and its line", async () => {
    const { store } = await settledStore({ services: [consult], entries });
    const { queues, services } = await store.boards.get(clinic.id, today, whole);
    expect(services).toEqual([consult]);
    expect(queues).toEqual([
      {
        queue: front,
        counts: { ...zero, WAITING: 3, IN_SERVICE: 3 },
        pace: { inService: 3, finished: 0, finishedMs: 0 },
        averageWaitMinutes: 8, // 0, 10 and 14
        aheadOfNew: { people: 3, knownMinutes: 60, unknown: 0 },
        inService: [two, one, three],
        next: six,
        line: [six, four, five],
      },
      {
        queue: back,
        counts: { ...zero, WAITING: 1 },
        pace: { inService: 0, finished: 0, finishedMs: 0 },
        averageWaitMinutes: 0,
        aheadOfNew: { people: 1, knownMinutes: 0, unknown: 1 },
        inService: [],
        next: seven,
        line: [seven],
      },
    ]);
  });

  it("shows as many of each line as are asked for, or a part of one", async () => {
    const { store } = await settledStore({ entries });
    const lines = async (limit: number, from: number, most: number, queueId = front.id) => {
      const part = { queueId, from, limit: most };
      const { queues } = await store.boards.get(clinic.id, today, { limit, part });
      expect(queues[0]?.next).toEqual(six);
      return queues.map(({ line }) => line);
    };
    expect(await lines(2, 1, 1, id("nothing"))).toEqual([[six, four], [seven]]);
    expect(await lines(1, 2, 1)).toEqual([[four], [seven]]);
    expect(await lines(1, 2, 5)).toEqual([[four, five], [seven]]);
    expect(await lines(1, 4, 5)).toEqual([[], [seven]]);
  });

  it("lists who is not ended on some days, by day, queue and token, as many as are asked for", async () => {
    const gone = { status: "NO_SHOW", date: tomorrow } as const;
    const all = [...entries, entry(9, gone), entry(10, { queueId: id("removed") })];
    const { store } = await settledStore({ entries: all });
    const days = [tomorrow, today];
    expect(await store.boards.notEnded(clinic.id, days, 100)).toEqual(entries);
    expect(await store.boards.notEnded(clinic.id, [tomorrow], 100)).toEqual([
      entry(8, { date: tomorrow }),
    ]);
    expect(await store.boards.notEnded(clinic.id, days, 2)).toHaveLength(2);
    expect(await store.boards.notEnded(salon.id, days, 100)).toEqual([]);
  });

  it("of a business without entries or of none is empty", async ({ store }) => {
    const { queues } = await store.boards.get(salon.id, today, whole);
    expect(queues).toMatchObject([{ counts: zero, next: null, line: [], inService: [] }]);
    const ofNobody = await store.boards.get(id("nobody"), today, whole);
    expect(ofNobody).toMatchObject({ services: [], queues: [] });
  });

  it("has a version that each change of an entry, queue, service or setting changes", async () => {
    const { store, clock } = await settledStore({ services: [consult], entries });
    const seen = new Set<string>();
    const changes = [
      async () => {},
      () => store.entries.transition(clinic.id, entry(4).id, "call", clock()),
      () => store.entries.transition(clinic.id, entry(4).id, "undo", clock()),
      () => store.queues.change(clinic.id, front.id, { name: "New" }),
      () => store.services.change(clinic.id, consult.id, { name: "New" }),
      () => store.businesses.change(clinic.id, { longWaitMinutes: 5 }),
      () => store.entries.transfer(clinic.id, entry(5).id, back.id),
      () => store.entries.correct(clinic.id, entry(5).id, { ...entry(5), customerName: "Zoë" }),
      () => store.entries.callNext(clinic.id, front.id, today, clock()),
      () => store.entries.create(clinic.id, token("new")),
    ];
    for (const change of changes) {
      await change();
      const { version } = await store.boards.get(clinic.id, today, whole);
      expect(await store.boards.version(clinic.id, today)).toBe(version);
      seen.add(version);
    }
    expect(seen.size).toBe(changes.length);
    await store.entries.create(salon.id, token("salon", { queueId: chair.id }));
    await store.entries.create(clinic.id, token("tomorrow", { date: tomorrow }));
    expect(seen).toContain(await store.boards.version(clinic.id, today));
    expect(seen).not.toContain(await store.boards.version(clinic.id, tomorrow));
  });
});
