import { describe, expect, it } from "vitest";
import { type AuditFilter, wholeLog } from "../../server/src/rules/audit.js";
import type { AuditRow } from "../../server/src/rules/records.js";
import { adapters, start } from "./support/adapters.js";
import { allPages, auditLog } from "./support/audit.js";
import { auditRow, clinic, id, salon, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

const minute = 60_000;
const serverErrors = { status: { first: 500, last: 599 } };

describe.each(adapters)("the audit log of the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("shows the newest rows first, each business its own", async () => {
    const { store } = opened();
    const rows = [auditRow("1"), auditRow("2"), auditRow("3", { at: start + 1 })];
    await store.audit.append([...rows, auditRow("4", { businessId: salon.id })]);
    await store.audit.append([]);
    expect(await auditLog(store, clinic.id)).toEqual(rows.toReversed());
    expect(await auditLog(store, clinic.id, 2)).toEqual([rows[2], rows[1]]);
  });

  it("goes by the time of a row, and of two with one time the later kept is newer", async () => {
    const { store } = opened();
    const [early, first, second] = [
      auditRow("early", { at: start - 1 }),
      auditRow("first"),
      auditRow("second"),
    ];
    await store.audit.append([first, early, second]);
    expect(await auditLog(store, clinic.id)).toEqual([second, first, early]);
  });

  it("holds what was kept with a token and with its move among all others", async () => {
    const { store } = opened();
    const at = (minutes: number) => ({ at: start + minutes * minute });
    const [created, canceled] = [auditRow("created", at(1)), auditRow("canceled", at(300))];
    const reads = [auditRow("0", at(0)), auditRow("2", at(2)), auditRow("400", at(400))];
    await store.entries.issue(clinic.id, token("t", { audit: created }));
    await store.entries.move(clinic.id, id("t"), "cancel", start, { audit: canceled });
    await store.audit.append(reads);
    const newestFirst = [reads[2], canceled, reads[1], created, reads[0]];
    for (const limit of [1, 2, 3, 100]) {
      expect(await allPages(store, clinic.id, {}, limit)).toEqual(newestFirst);
    }
  });

  it("finds old rows of tokens behind long stretches without any", async () => {
    const { store } = opened();
    const old = auditRow("old", { at: start - 80 * 24 * 60 * minute });
    await store.entries.issue(clinic.id, token("old", { audit: old }));
    await store.entries.issue(clinic.id, token("new", { audit: auditRow("new") }));
    expect(await allPages(store, clinic.id, {}, 1)).toEqual([auditRow("new"), old]);
  });

  const rows = [
    auditRow("me", { at: start }),
    auditRow("queues", { at: start + 1, keyId: id("other"), status: 404 }),
    auditRow("queues/one", { at: start + 2, status: 429 }),
    auditRow("entries.x", { at: start + 3, method: "POST", status: 201 }),
    auditRow("entriesyx", { at: start + 4, status: 500 }),
  ];

  it.each<[string, Partial<AuditFilter>, number[]]>([
    ["of a key", { keyId: id("other") }, [1]],
    ["with a status", { status: { first: 404, last: 404 } }, [1]],
    ["with a class of statuses", { status: { first: 400, last: 499 } }, [2, 1]],
    ["whose path begins so", { pathPrefix: "/v1/queues" }, [2, 1]],
    ["whose path begins with what is no pattern", { pathPrefix: "/v1/entries." }, [3]],
    ["from an instant on", { from: start + 3 }, [4, 3]],
    ["before an instant", { until: start + 2 }, [1, 0]],
    [
      "of all at once",
      { status: { first: 400, last: 499 }, from: start + 2, pathPrefix: "/v1/q" },
      [2],
    ],
    ["of nobody", { keyId: id("nobody") }, []],
  ])("shows the rows %s", async (_, filter, expected) => {
    const { store } = opened();
    await store.audit.append(rows.slice(0, 3));
    // Of a business that writes as well, the rest is part of entries.
    for (const row of rows.slice(3)) {
      await store.entries.issue(clinic.id, token(`token${row.at}`, { audit: row }));
    }
    const found = expected.map((place) => rows[place]);
    expect(await allPages(store, clinic.id, filter, 1)).toEqual(found);
    expect(await allPages(store, clinic.id, filter, 100)).toEqual(found);
    expect(await allPages(store, salon.id, filter, 100)).toEqual([]);
  });

  it("goes on where a page ended, whatever is kept or removed in between", async () => {
    const { store, clock } = opened();
    const many = Array.from({ length: 5 }, (_, n) => auditRow(`${n}`, { at: start + n }));
    await store.audit.append(many);
    const first = await store.audit.page(clinic.id, wholeLog, { limit: 2, after: null });
    if (first === "cursor_unknown") throw new Error(first);
    await store.audit.append([auditRow("new", { at: start + 9 })]);
    clock.set(start + 90 * 86_400_000 + 2);
    await store.maintenance.prune(); // the two oldest have had their time
    const second = await store.audit.page(clinic.id, wholeLog, { limit: 2, after: first.next });
    expect(second).toEqual({ rows: [many[2]], next: null });
  });

  it("reaches what is rare behind a great many rows", async () => {
    const { store } = opened();
    const rare = auditRow("rare", { status: 500 });
    await store.audit.append([rare]);
    for (let batch = 0; batch < 12; batch++) {
      await store.audit.append(
        Array.from({ length: 1_000 }, (_, n) => auditRow(`${n}`, { at: start + batch })),
      );
    }
    expect(await allPages(store, clinic.id, serverErrors, 10)).toEqual([rare]);
  });

  it("looks at a part of what is long ago and rare, and tells where to go on", async () => {
    const { store } = opened();
    const rare = auditRow("rare", { status: 500, at: start - 24 * 60 * minute });
    await store.audit.append([rare]);
    for (let hour = 20; hour >= 0; hour--) {
      const at = start - hour * 60 * minute;
      await store.audit.append(Array.from({ length: 1_000 }, (_, n) => auditRow(`${n}`, { at })));
    }
    const filter = { ...wholeLog, ...serverErrors };
    const first = await store.audit.page(clinic.id, filter, { limit: 10, after: null });
    expect(first).toMatchObject({ rows: [], next: expect.any(String) });
    expect(await allPages(store, clinic.id, serverErrors, 10)).toEqual([rare]);
  });

  describe("sums", () => {
    const refused = (name: string, at: number, count: number, changes: Partial<AuditRow> = {}) =>
      auditRow(name, { at, status: 429, sum: { count, lastAt: at + count }, ...changes });
    const [early, late] = [start - (start % minute), start - (start % minute) + 30_000];

    it("make one row of a key, minute and status, with the count, the span and the last request", async () => {
      const { store } = opened();
      await store.audit.append([refused("a", early, 5), auditRow("alone", { at: early + 1 })]);
      await store.audit.append([refused("b", late, 7, { ip: "203.0.113.9", method: "POST" })]);
      const [alone, sum, ...others] = await auditLog(store, clinic.id);
      expect(others).toEqual([]);
      expect(alone).toEqual(auditRow("alone", { at: early + 1 }));
      expect(sum).toEqual({
        ...refused("b", early, 12, { ip: "203.0.113.9", method: "POST" }),
        sum: { count: 12, lastAt: late + 7 },
      });
    });

    it("keep the last request, whichever is kept last", async () => {
      const { store } = opened();
      await store.audit.append([refused("late", late, 1)]);
      await store.audit.append([refused("early", early, 1)]);
      const [{ path, sum } = auditRow("none")] = await auditLog(store, clinic.id);
      expect({ path, sum }).toEqual({ path: "/v1/late", sum: { count: 2, lastAt: late + 1 } });
    });

    it("of another key, minute or status are rows of their own", async () => {
      const { store } = opened();
      const rows = [
        refused("a", early, 2),
        refused("b", early, 2, { keyId: id("other") }),
        refused("c", early, 2, { status: 403 }),
        refused("d", early + minute, 2),
      ];
      await store.audit.append(rows);
      await store.audit.append(rows.map((row) => ({ ...row })));
      const kept = await auditLog(store, clinic.id);
      expect(kept.map(({ sum }) => sum?.count)).toEqual([4, 4, 4, 4]);
    });

    it("add up, however many are kept at once", async () => {
      const { store } = opened();
      const many = Array.from({ length: 40 }, (_, n) => refused(`${n}`, early + n, n));
      await Promise.all(many.map((row) => store.audit.append([row])));
      const [sum, ...others] = await auditLog(store, clinic.id);
      expect(others).toEqual([]);
      expect(sum?.sum?.count).toBe(780);
    });

    it("are found by a page, a filter and a cursor like other rows, and end after 90 days", async () => {
      const { store, clock } = opened();
      const rows = [0, 1, 2].map((n) => refused(`${n}`, early + n * minute, 3));
      await store.audit.append([...rows, auditRow("other", { at: early })]);
      const asked = { status: { first: 429, last: 429 } };
      expect(await allPages(store, clinic.id, asked, 1)).toEqual(rows.toReversed());
      clock.set(early + 90 * 86_400_000 + minute + 1);
      await store.maintenance.prune();
      expect(await allPages(store, clinic.id, asked, 1)).toEqual([rows[2]]);
    });
  });

  it.each(["", "1", "nonsense", "1.", ".1", "1.g", "-1.1", "9".repeat(40)])(
    "does not know the cursor %j",
    async (after) => {
      const { store } = opened();
      expect(await store.audit.page(clinic.id, wholeLog, { limit: 1, after })).toBe(
        "cursor_unknown",
      );
    },
  );
});
