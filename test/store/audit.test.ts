import { describe, expect, it } from "vitest";
import { wholeLog } from "../../server/src/rules/audit.js";
import type { AuditRow } from "../../server/src/rules/records.js";
import { adapters, start } from "./support/adapters.js";
import { allPages, audited, auditLog } from "./support/audit.js";
import { auditRow, clinic, id, salon, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

const minute = 60_000;
const serverErrors = { status: { first: 500, last: 599 } };

describe.each(adapters)("the audit log of the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("lists the rows of one business by time, and rows of the same time by when they were stored", async () => {
    const { store } = opened();
    const [early, first, second] = [
      auditRow("early", { at: start - 1 }),
      auditRow("first"),
      auditRow("second"),
    ];
    await store.audit.append([first, early, second, auditRow("x", { businessId: salon.id })]);
    expect(await auditLog(store, clinic.id)).toEqual([second, first, early]);
  });

  it("keeps each row of an entry that changes more than a hundred times", async () => {
    const { store } = opened();
    const rows = Array.from({ length: 120 }, (_, n) => auditRow(`${n}`, { at: start + n }));
    await store.entries.issue(clinic.id, token("t"));
    for (const [n, row] of rows.entries()) {
      const move = n % 2 === 0 ? "call" : "requeue";
      await audited(store, row).entries.move(clinic.id, id("t"), move, start);
    }
    expect(await allPages(store, clinic.id, {}, 50)).toEqual(rows.toReversed());
  });

  it("finds old rows of tokens behind many rows without tokens", async () => {
    const { store } = opened();
    const old = auditRow("old", { at: start - 80 * 24 * 60 * minute });
    await audited(store, old).entries.issue(clinic.id, token("old"));
    await audited(store, auditRow("new")).entries.issue(clinic.id, token("new"));
    expect(await allPages(store, clinic.id, {}, 1)).toEqual([auditRow("new"), old]);
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
    const second = await store.audit.page(clinic.id, wholeLog, {
      limit: 2,
      after: first.nextCursor,
    });
    expect(second).toEqual({ items: [many[2]], nextCursor: null });
  });

  it("tells nothing of other businesses by its cursors", async () => {
    const { store } = opened();
    const cursors: string[] = [];
    for (let n = 0; n < 3; n++) {
      await store.audit.append([auditRow(`${n}`, { at: start + n })]);
      const others = Array.from({ length: 7 }, () => auditRow("x", { businessId: salon.id }));
      await store.audit.append(others);
      const page = await store.audit.page(clinic.id, wholeLog, { limit: 1, after: null });
      if (page === "cursor_unknown") throw new Error(page);
      if (page.nextCursor !== null) cursors.push(page.nextCursor);
    }
    const [first = 0, second = 0] = cursors.map((cursor) =>
      Number.parseInt((cursor.split(".")[1] ?? "").slice(-6), 16),
    );
    expect(cursors).toHaveLength(2);
    expect([8, 9, 10]).not.toContain(second - first);
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
    expect(first).toMatchObject({ items: [], nextCursor: expect.any(String) });
    expect(await allPages(store, clinic.id, serverErrors, 10)).toEqual([rare]);
  });

  describe("sums", () => {
    const refused = (name: string, at: number, count: number, changes: Partial<AuditRow> = {}) =>
      auditRow(name, { at, status: 429, sum: { count, lastAt: at + count }, ...changes });
    const early = start - (start % minute);

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
