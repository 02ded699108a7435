import { describe, expect, it } from "vitest";
import { entryAnswer } from "../../server/src/rules/entry-answer.js";
import { adapters } from "./support/adapters.js";
import {
  advice,
  appointment,
  back,
  chair,
  clinic,
  consult,
  entry,
  front,
  id,
  retired,
  salon,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

/** Names that a faulty store truncates or changes. */
const awkwardNames = [
  "Zoë ☕ 👩‍👩‍👧‍👦",
  "e\u0301 is not \u00e9",
  "\u0000starts with NUL",
  "ends with NUL\u0000",
  "a\u0000b\u0001\u001f\u007f",
  `"quotes" \\ and 'more'`,
  "\ufeffmark \u2028 \u202e",
  "\u{10ffff}",
  " ",
];

const minute = 60_000;

describe.each(adapters)("reading from the $name store", (adapter) => {
  const opened = freshStore(adapter);

  /** A clinic with these entries at its front desk. */
  async function withEntries(entries: readonly ReturnType<typeof entry>[]) {
    return (await opened.with({ entries })).store;
  }

  it("lists the services and queues of one business in the order of addition", async () => {
    const { store } = opened();
    expect(await store.services.list(clinic.id)).toEqual([consult, advice, retired]);
    expect(await store.queues.list(clinic.id)).toEqual([front, back]);
    expect(await store.queues.list(salon.id)).toEqual([chair]);
    expect(await store.queues.list(id("nobody"))).toEqual([]);
  });

  it.each(awkwardNames)("returns %j exactly as it was stored", async (name) => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("named", { customerName: name }));
    expect((await store.entries.get(clinic.id, id("named")))?.entry.customerName).toBe(name);
    const page = await store.entries.page(clinic.id, front.id, today, null, {
      limit: 1,
      after: null,
    });
    expect(page).toMatchObject({ items: [{ entry: { customerName: name } }] });
  });

  it("returns every field of an entry", async () => {
    const finished = entry(7, {
      status: "COMPLETED",
      priority: true,
      serviceId: consult.id,
      workMinutes: 15,
      startedAt: 1_795_235_400_001,
      completedAt: 1_795_235_400_999,
    });
    const canceled = entry(9, { status: "CANCELED", customerName: null, canceledAt: 5 });
    const store = await withEntries([finished, canceled]);
    expect(await store.entries.get(clinic.id, finished.id)).toEqual({
      entry: finished,
      line: null,
    });
    expect(await store.entries.get(clinic.id, canceled.id)).toEqual({
      entry: canceled,
      line: null,
    });
  });

  it("does not find an entry, queue or appointment of another business", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("mine"));
    expect(await store.entries.get(salon.id, id("mine"))).toBeNull();
    expect(await store.queues.day(salon.id, front.id, today)).toBeNull();
    const first = { limit: 10, after: null };
    expect(await store.entries.page(salon.id, front.id, today, null, first)).toBe(
      "queue_not_found",
    );
    const cursor = { limit: 10, after: id("mine") };
    expect(await store.entries.page(salon.id, front.id, today, null, cursor)).toBe(
      "queue_not_found",
    );
  });

  it("orders priority first, then token order, and counts the work ahead", async () => {
    const store = await withEntries([
      entry(1, { status: "IN_SERVICE", startedAt: 0 }),
      entry(2, { workMinutes: 10 }),
      entry(3, { status: "CANCELED", workMinutes: 99 }),
      entry(4, { priority: true, workMinutes: 5 }),
      entry(5),
      entry(6, { priority: true }),
    ]);
    const ahead = async (number: number) =>
      (await store.entries.get(clinic.id, entry(number).id))?.line?.ahead;
    expect(await ahead(1)).toBeUndefined();
    expect(await ahead(4)).toEqual({ people: 0, knownMinutes: 0, unknown: 0 });
    expect(await ahead(6)).toEqual({ people: 1, knownMinutes: 5, unknown: 0 });
    expect(await ahead(2)).toEqual({ people: 2, knownMinutes: 5, unknown: 1 });
    expect(await ahead(5)).toEqual({ people: 3, knownMinutes: 15, unknown: 1 });
  });

  it("counts a day: statuses, pace and average wait", async () => {
    const served = { status: "COMPLETED", startedAt: 0 } as const;
    const store = await withEntries([
      entry(1, { ...served, completedAt: 10 * minute }),
      entry(2, { ...served, completedAt: 90 * 1000 }),
      entry(3, { status: "COMPLETED" }),
      entry(4, { status: "IN_SERVICE" }),
      entry(5, { status: "NO_SHOW" }),
      entry(6, { workMinutes: 10 }),
      entry(7, { priority: true, workMinutes: 5 }),
      entry(8),
      entry(1, { id: id("other day"), date: tomorrow }),
      entry(1, { id: id("other queue"), queueId: back.id, placeInDay: 9 }),
    ]);
    expect(await store.queues.day(clinic.id, front.id, today)).toEqual({
      queue: front,
      counts: { WAITING: 3, IN_SERVICE: 1, COMPLETED: 3, CANCELED: 0, NO_SHOW: 1 },
      pace: { inService: 1, finished: 2, finishedMs: 690_000 },
      averageWaitMinutes: 7, // of 0, 5 and 15
    });
  });

  it("counts nothing on a day without tokens", async () => {
    const { store } = opened();
    expect(await store.queues.day(clinic.id, front.id, today)).toEqual({
      queue: front,
      counts: { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 },
      pace: { inService: 0, finished: 0, finishedMs: 0 },
      averageWaitMinutes: null,
    });
    const page = { limit: 10, after: null };
    expect(await store.entries.page(clinic.id, front.id, today, null, page)).toEqual({
      items: [],
      more: false,
    });
  });

  it("returns a page as the bytes of its response", async () => {
    const named = awkwardNames.map((customerName, index) => entry(index + 1, { customerName }));
    const store = await withEntries(named);
    const page = { limit: 3, after: entry(2).id };
    const asked = [clinic.id, front.id, today, "WAITING", page] as const;
    const found = await store.entries.page(...asked);
    const list = await store.entries.list(...asked);
    if (typeof found === "string" || typeof list === "string") throw new Error("no list");
    expect(JSON.parse(new TextDecoder().decode(list))).toEqual({
      data: found.items.map(entryAnswer),
      nextCursor: entry(5).id,
    });
    expect(await store.entries.list(clinic.id, id("nothing"), today, null, page)).toBe(
      "queue_not_found",
    );
    const unknown = { limit: 3, after: id("nobody") };
    expect(await store.entries.list(clinic.id, front.id, today, null, unknown)).toBe(
      "cursor_unknown",
    );
  });

  it("pages through a day in token order, with the position that each entry has when read alone", async () => {
    const store = await withEntries(
      Array.from({ length: 7 }, (_, index) => entry(index + 1, { priority: index % 3 === 2 })),
    );
    const seen = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const page = await store.entries.page(clinic.id, front.id, today, null, { limit: 3, after });
      if (typeof page === "string") throw new Error(page);
      for (const item of page.items) {
        expect(item).toEqual(await store.entries.get(clinic.id, item.entry.id));
        seen.push(item.entry.tokenNumber);
        after = item.entry.id;
      }
      more = page.more;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("returns a next page only when entries follow", async () => {
    const store = await withEntries([entry(1), entry(2)]);
    const page = { limit: 2, after: null };
    expect(await store.entries.page(clinic.id, front.id, today, null, page)).toMatchObject({
      more: false,
    });
    expect(
      await store.entries.page(clinic.id, front.id, today, null, { ...page, limit: 1 }),
    ).toMatchObject({ more: true });
  });

  it("lists one status, and accepts any entry of the day as the cursor", async () => {
    const store = await withEntries([
      entry(1),
      entry(2, { status: "CANCELED" }),
      entry(3),
      entry(4, { status: "CANCELED" }),
    ]);
    const page = { limit: 10, after: entry(2).id };
    const waiting = await store.entries.page(clinic.id, front.id, today, "WAITING", page);
    expect(waiting).toMatchObject({
      items: [{ entry: { tokenNumber: 3 }, line: { ahead: { people: 1 } } }],
      more: false,
    });
    const canceled = await store.entries.page(clinic.id, front.id, today, "CANCELED", page);
    expect(canceled).toEqual({
      items: [{ entry: entry(4, { status: "CANCELED" }), line: null }],
      more: false,
    });
  });

  it("refuses a cursor of another day or queue, and an unknown cursor", async () => {
    const store = await withEntries([
      entry(1),
      entry(2, { date: tomorrow }),
      entry(3, { queueId: back.id }),
    ]);
    for (const after of [entry(2).id, entry(3).id, id("invented")]) {
      const page = { limit: 10, after };
      expect(await store.entries.page(clinic.id, front.id, today, null, page)).toBe(
        "cursor_unknown",
      );
    }
  });

  it("continues in the day of an earlier cursor on request", async () => {
    const store = await withEntries([entry(1), entry(2), entry(3, { queueId: back.id })]);
    const page = { limit: 10, orEarlier: true };
    const list = (date: string, after: string) =>
      store.entries.page(clinic.id, front.id, date, null, { ...page, after });
    expect(await list(tomorrow, entry(1).id)).toMatchObject({
      items: [{ entry: { id: entry(2).id, date: today } }],
      more: false,
    });
    expect(await list(today, entry(1).id)).toMatchObject({ items: [{ entry: { date: today } }] });
    expect(await list("2026-01-01", entry(1).id)).toBe("cursor_unknown");
    expect(await list(tomorrow, entry(3).id)).toBe("cursor_unknown");
    expect(await list(tomorrow, id("invented"))).toBe("cursor_unknown");
    expect(
      await store.entries.page(salon.id, front.id, tomorrow, null, { ...page, after: entry(1).id }),
    ).toBe("queue_not_found");
  });

  it("refuses a cursor whose appointment was moved to a later day", async () => {
    const appointments = ["a", "b"].map((name) => appointment(name, { slotTime: "09:30" }));
    const { store } = await opened.with({ appointments });
    const list = (date: string) =>
      store.appointments.page(clinic.id, date, { limit: 10, after: id("a"), orEarlier: true });
    expect(await list(tomorrow)).toEqual({ items: [appointments[1]], more: false });
    expect(await list(today)).toEqual({ items: [appointments[1]], more: false });
    await store.appointments.change(clinic.id, id("a"), { date: tomorrow });
    expect(await list(today)).toBe("cursor_unknown");
  });

  it("lists a day's appointments by slot time, then id", async () => {
    const appointments = [
      appointment("late", { slotTime: "18:00" }),
      appointment("b", { slotTime: "09:30" }),
      appointment("a", { slotTime: "09:30" }),
      appointment("other day", { date: tomorrow }),
    ];
    const { store } = await opened.with({ appointments });
    const page = await store.appointments.page(clinic.id, today, { limit: 2, after: null });
    expect(page).toEqual({ items: [appointments[2], appointments[1]], more: true });
    const rest = await store.appointments.page(clinic.id, today, { limit: 2, after: id("b") });
    expect(rest).toEqual({ items: [appointments[0]], more: false });
    for (const [business, after] of [
      [clinic.id, id("other day")],
      [salon.id, id("b")],
    ] as const) {
      expect(await store.appointments.page(business, today, { limit: 2, after })).toBe(
        "cursor_unknown",
      );
    }
    expect(await store.appointments.get(clinic.id, id("late"))).toEqual(appointments[0]);
    expect(await store.appointments.get(salon.id, id("late"))).toBeNull();
  });
});
