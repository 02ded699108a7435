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

  it("lists the rows of one business, newest first", async () => {
    const { store } = opened();
    const rows = [auditRow("1"), auditRow("2"), auditRow("3", { at: start + 1 })];
    await store.audit.append([...rows, auditRow("4", { businessId: salon.id })]);
    await store.audit.append([]);
    expect(await auditLog(store, clinic.id)).toEqual(rows.toReversed());
    expect(await auditLog(store, clinic.id, 2)).toEqual([rows[2], rows[1]]);
  });

  it("orders rows by time, and rows of the same time by when they were stored", async () => {
    const { store } = opened();
    const [early, first, second] = [
      auditRow("early", { at: start - 1 }),
      auditRow("first"),
      auditRow("second"),
    ];
    await store.audit.append([first, early, second]);
    expect(await auditLog(store, clinic.id)).toEqual([second, first, early]);
  });

  it("includes the rows that were stored with a token and with a move", async () => {
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

  it("finds old rows of tokens behind many rows without tokens", async () => {
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
    ["with a path prefix", { pathPrefix: "/v1/queues" }, [2, 1]],
    ["with a path prefix that is not a pattern", { pathPrefix: "/v1/entries." }, [3]],
    ["from an instant on", { from: start + 3 }, [4, 3]],
    ["before an instant", { until: start + 2 }, [1, 0]],
    [
      "of all filters together",
      { status: { first: 400, last: 499 }, from: start + 2, pathPrefix: "/v1/q" },
      [2],
    ],
    ["of an unknown key", { keyId: id("nobody") }, []],
  ])("lists the rows %s", async (_, filter, expected) => {
    const { store } = opened();
    await store.audit.append(rows.slice(0, 3));
    // When the business writes as well, its other rows belong to entries.
    for (const row of rows.slice(3)) {
      await store.entries.issue(clinic.id, token(`token${row.at}`, { audit: row }));
    }
    const found = expected.map((place) => rows[place]);
    expect(await allPages(store, clinic.id, filter, 1)).toEqual(found);
    expect(await allPages(store, clinic.id, filter, 100)).toEqual(found);
    expect(await allPages(store, salon.id, filter, 100)).toEqual([]);
  });

  it("continues after a page, even when rows are added or removed between two reads", async () => {
    const { store, clock } = opened();
    const many = Array.from({ length: 5 }, (_, n) => auditRow(`${n}`, { at: start + n }));
    await store.audit.append(many);
    const first = await store.audit.page(clinic.id, wholeLog, { limit: 2, after: null });
    if (first === "cursor_unknown") throw new Error(first);
    await store.audit.append([auditRow("new", { at: start + 9 })]);
    clock.set(start + 90 * 86_400_000 + 2);
    await store.maintenance.prune(); // the two oldest rows have expired
    const second = await store.audit.page(clinic.id, wholeLog, { limit: 2, after: first.next });
    expect(second).toEqual({ rows: [many[2]], next: null });
  });

  it("finds rare rows behind very many other rows", async () => {
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

  it("reads a bounded part per page, and returns the start of the next page", async () => {
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

    it("have one row per key, minute and status, with the count, both times and the last request", async () => {
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

    it("have the last request, in any order of storing", async () => {
      const { store } = opened();
      await store.audit.append([refused("late", late, 1)]);
      await store.audit.append([refused("early", early, 1)]);
      const [{ path, sum } = auditRow("none")] = await auditLog(store, clinic.id);
      expect({ path, sum }).toEqual({ path: "/v1/late", sum: { count: 2, lastAt: late + 1 } });
    });

    it("of another key, minute or status have their own rows", async () => {
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

    it("add up under concurrent writes", async () => {
      const { store } = opened();
      const many = Array.from({ length: 40 }, (_, n) => refused(`${n}`, early + n, n));
      await Promise.all(many.map((row) => store.audit.append([row])));
      const [sum, ...others] = await auditLog(store, clinic.id);
      expect(others).toEqual([]);
      expect(sum?.sum?.count).toBe(780);
    });

    it("are found by page, filter and cursor like other rows, and expire after 90 days", async () => {
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
    "refuses the cursor %j",
    async (after) => {
      const { store } = opened();
      expect(await store.audit.page(clinic.id, wholeLog, { limit: 1, after })).toBe(
        "cursor_unknown",
      );
    },
  );
});
