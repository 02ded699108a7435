import { describe, expect } from "vitest";
import { systemRandom } from "../../server/src/lib/system.js";
import { openStore } from "../../server/src/open-store.js";
import { appointmentRecord } from "../../server/src/operations/appointments.js";
import { entryRecord } from "../../server/src/operations/entry-record.js";
import type { Store } from "../../server/src/operations/store.js";
import { type AuditFilter, wholeLog } from "../../server/src/rules/audit.js";
import { readNumber } from "../../server/src/rules/base62.js";
import type { PageRequest } from "../../server/src/rules/list.js";
import type { AuditRow } from "../../server/src/rules/records.js";
import { start } from "../store/support/adapters.js";
import { audited } from "../store/support/audit.js";
import {
  appointment,
  auditRow,
  back,
  clinic,
  consult,
  entry,
  front,
  id,
  kiosk,
  mirror,
  salon,
  today,
  tomorrow,
} from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

async function pageOf({ audit }: Store, filter: AuditFilter, request: PageRequest) {
  const page = await audit.page(clinic.id, filter, request);
  if (page === "cursor_unknown") throw new Error(page);
  return page;
}

describe("the audit log", () => {
  const rows = [
    auditRow("1", { at: 1_000 }),
    auditRow("2", { at: 2_000, status: 404 }),
    auditRow("3", { at: 3_000, keyId: mirror.id }),
    auditRow("4", { at: 3_000 }),
    auditRow("5", { at: 4_000 }),
    auditRow("6", { at: 2_000, businessId: salon.id }),
  ];

  /** A part of the log of these rows, which have their numbers. */
  async function found(
    store: Store,
    changes: Partial<AuditFilter>,
    limit = 10,
    after: string | null = null,
  ) {
    if (after === null) await store.audit.append(rows);
    const page = await pageOf(store, { ...wholeLog, ...changes }, { limit, after });
    const numberOf = ({ requestId }: AuditRow) => Number(requestId.slice(-12));
    return { numbers: page.items.map(numberOf), after: page.nextCursor };
  }

  it.for<[string, Partial<AuditFilter>, number[]]>([
    ["everything, newest first", {}, [5, 4, 3, 2, 1]],
    ["a key", { keyId: kiosk.id }, [5, 4, 2, 1]],
    ["a time: its start, and not its end", { from: 2_000, until: 4_000 }, [4, 3, 2]],
  ])("shows %s", async ([, filter, numbers], { store }) => {
    expect(await found(store, filter)).toEqual({ numbers, after: null });
  });

  it("goes on after the last row of a page, and ends with the last row", async ({ store }) => {
    const first = await found(store, {}, 2);
    expect(first.numbers).toEqual([5, 4]);
    const second = await found(store, {}, 2, first.after);
    expect(second.numbers).toEqual([3, 2]);
    await store.audit.append([auditRow("7", { at: 5_000 })]);
    expect(await found(store, {}, 2, second.after)).toEqual({ numbers: [1], after: null });
  });

  it.for(["", "1", "no cursor", "1.", ".1", "1.1", `1.${"-".repeat(24)}`, `-1.${"1".repeat(24)}`])(
    "refuses the cursor %j",
    async (after, { store }) => {
      const page = store.audit.page(clinic.id, wholeLog, { limit: 1, after });
      expect(await page).toBe("cursor_unknown");
    },
  );

  it("looks through a bounded part for a page, and goes on from there", async ({ store }) => {
    const rare = auditRow("rare", { status: 500, at: 1 });
    await store.audit.append([rare]);
    await store.audit.append(Array.from({ length: 10_000 }, (_, n) => auditRow(`${n}`)));
    const filter = { ...wholeLog, status: { first: 500, last: 599 } };
    const { items, nextCursor: after } = await pageOf(store, filter, { limit: 9, after: null });
    expect(items).toEqual([]);
    const rest = await pageOf(store, filter, { limit: 9, after });
    expect(rest).toEqual({ items: [rare], nextCursor: null });
  });

  it("shows the row stored later first, also after the clock was set back", async () => {
    let now = start;
    const store = await openStore("memory:", { clock: () => now, random: systemRandom });
    for (const path of ["1", "2", "3"]) {
      await store.audit.append([auditRow(path, { at: start })]);
      now -= 10_000;
    }
    const { items } = await pageOf(store, wholeLog, { limit: 9, after: null });
    expect(items.map(({ path }) => path)).toEqual(["/v1/3", "/v1/2", "/v1/1"]);
  });

  it("tells nothing of other businesses by its cursors", async () => {
    const store = await openStore("memory:", { clock: () => start, random: systemRandom });
    const counters: number[] = [];
    for (let n = 0; n < 3; n++) {
      await store.audit.append([auditRow(`${n}`, { at: start + n })]);
      const others = Array.from({ length: 7 }, () => auditRow("x", { businessId: salon.id }));
      await store.audit.append(others);
      const { nextCursor } = await pageOf(store, wholeLog, { limit: 1, after: null });
      const [, id] = (nextCursor ?? "").split(".");
      if (id) counters.push(readNumber(id.slice(0, 10)));
    }
    expect(counters).toHaveLength(2);
    expect([8, 9, 10]).not.toContain((counters[1] ?? 0) - (counters[0] ?? 0));
  });

  it("has the row of a change, and none of a change that was not made", async ({ store }) => {
    const [row = auditRow("0"), another = row] = rows;
    await audited(store, row).entries.transition(clinic.id, id("nobody"), "cancel", start);
    await audited(store, another).queues.change(clinic.id, front.id, { name: "New" });
    const page = await store.audit.page(clinic.id, wholeLog, { limit: 9, after: null });
    expect(page).toMatchObject({ items: [another], nextCursor: null });
  });

  it("adds sums of a name to one row, each once", async ({ store }) => {
    const sum = (count: number, lastAt: number, requestId: string) =>
      auditRow("me", { status: 429, sum: { count, lastAt }, requestId });
    await store.audit.append([sum(2, start + 5, "a"), rows[0] ?? auditRow("0")]);
    // the second one is sent again: the response to the first time was lost
    for (const _ of [1, 2]) await store.audit.append([sum(3, start + 9, "b")]);
    const page = await store.audit.page(clinic.id, wholeLog, { limit: 9, after: null });
    expect(page).toMatchObject({ items: [sum(5, start + 9, "b"), rows[0]] });
  });
});

describe("the data of the statistics", () => {
  it("are the entries of these days, of one queue or of all", async () => {
    const entries = [
      entry(1, { date: "2026-11-20" }),
      entry(2, { status: "COMPLETED", startedAt: start + 1, completedAt: start + 2 }),
      entry(3, { queueId: back.id, serviceId: consult.id }),
      entry(4, { date: tomorrow }),
      entry(5, { date: "2026-11-23" }),
    ];
    const { store } = await settledStore({ entries });
    const days = { first: today, last: tomorrow };
    const [, second, third, fourth] = entries;
    const read = (queueId: string | null) =>
      store.statistics.entryTimes(clinic.id, days, queueId, null);
    expect(await read(null)).toEqual({ items: [second, third, fourth], nextCursor: null });
    expect(await read(front.id)).toEqual({ items: [second, fourth], nextCursor: null });
  });

  it("go on where the part before ended", async () => {
    const entries = Array.from({ length: 501 }, (_, n) => entry(n + 1));
    const { store } = await settledStore({ entries });
    const days = { first: today, last: today };
    const read = (after: string | null) =>
      store.statistics.entryTimes(clinic.id, days, front.id, after);
    const first = await read(null);
    expect(first.items).toHaveLength(500);
    expect(await read(first.nextCursor)).toMatchObject({ items: [{}], nextCursor: null });
  });
});

it.each(["entries", "appointments", "audit"] as const)(
  "an export reads %s in parts",
  async (kind) => {
    const { store } = await settledStore();
    const bakery = id("bakery");
    const made = {
      entries: (n: number) => entryRecord(entry(n + 1, { businessId: bakery }), null, n),
      appointments: (n: number) => appointmentRecord(appointment(`n${n}`, { businessId: bakery })),
      audit: (n: number) => ({
        ...auditRow("1", { businessId: bakery }),
        id: `${n}`,
        sumName: null,
      }),
    }[kind];
    await store.imports.begin(bakery);
    const records = Array.from({ length: 501 }, (_, n) => made(n) as never);
    await store.imports.add(bakery, kind, records.slice(0, 500));
    await store.imports.add(bakery, kind, records.slice(500));
    const first = await store.imports.read(bakery, kind, null);
    expect(first.items).toHaveLength(500);
    const rest = await store.imports.read(bakery, kind, first.nextCursor);
    expect(rest.nextCursor).toBeNull();
    const all = [...first.items, ...rest.items].map((one) => JSON.stringify(one));
    expect(all.sort()).toEqual(records.map((one) => JSON.stringify(one)).sort());
  },
);
