import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Adapter, Key } from "../../server/src/store/port.js";
import {
  primaryKeys,
  type Stored,
  type TableName,
  type Tables,
} from "../../server/src/store/tables.js";
import { kiosk } from "../store/support/records.js";
import { testedAdapters } from "./support/adapters.js";
import {
  appointmentOf,
  auditOf,
  back,
  businessOf,
  clinic,
  entryOf,
  front,
  fullEntry,
  id,
  keyedBy,
  sessionsOf,
  today,
  tomorrow,
  windowsOf,
} from "./support/records.js";
import { insertion, removal, send, update as updating } from "./support/writes.js";

/* What each adapter promises for itself. Every other answer is the one of the memory adapter: same-answers.test.ts. */

describe.each(testedAdapters)("the $name adapter", ({ open }) => {
  let adapter: Adapter;

  beforeEach(async () => {
    adapter = await open();
  });
  afterEach(() => adapter.close());

  const insert = <T extends TableName>(...what: Parameters<typeof insertion<T>>) =>
    send(adapter, insertion(...what));
  const update = <T extends TableName>(...what: Parameters<typeof updating<T>>) =>
    send(adapter, updating(...what));
  const remove = <T extends TableName>(...what: Parameters<typeof removal<T>>) =>
    send(adapter, removal(...what));

  /** The record, which must be there. */
  async function get<T extends TableName>(table: T, key: Key) {
    const found = await adapter.find(table, key);
    if (!found) throw new Error(`no ${table} with ${JSON.stringify(key)}`);
    return found;
  }

  const rows = () => adapter.list("audit", { where: { businessId: clinic }, limit: 9 });

  describe("finds", () => {
    const records: { [T in TableName]: Tables[T] } = {
      businesses: businessOf("clinic"),
      entries: fullEntry,
      appointments: appointmentOf("visit", {
        serviceId: id("consult"),
        customerPhone: "49151",
        phoneIsInternational: true,
        notes: "Knee",
        revision: 3,
        isRemoved: true,
        status: "CHECKED_IN",
      }),
      sessions: sessionsOf("anna"),
      windows: windowsOf("key k1", { writes: { startedAt: 5, count: 9 } }),
      audit: auditOf("m1", { account: "a@b.example", sum: { count: 3, lastAt: 9 }, sumName: "s" }),
      imports: { id: id("new"), at: 5 },
    };

    it.each<[TableName, Key]>([
      ["businesses", { id: clinic }],
      ["businesses", { slug: "clinic" }],
      ["businesses", { "keys.id": id("clinic key") }],
      ["businesses", { "queues.id": id("clinic queue") }],
      ["businesses", { "accounts.email": "staff@shared.example" }],
      ["businesses", { "accounts.link.tokenHash": "link of clinic" }],
      ["businesses", { displayHash: "display of clinic" }],
      ["entries", { id: fullEntry.id }],
      ["entries", { businessId: clinic, id: fullEntry.id }],
      ["entries", { businessId: clinic, date: today, tokens: `${back}:000003` }],
      ["entries", { businessId: clinic, "keyed.key": "full" }],
      ["entries", { businessId: clinic, appointmentId: id("visit") }],
      ["entries", { businessId: clinic, uses: back }],
      ["appointments", { id: id("visit") }],
      ["appointments", { businessId: clinic, isRemoved: true, serviceId: id("consult") }],
      ["sessions", { id: id("anna") }],
      ["sessions", { "sessions.tokenHash": "token of anna" }],
      ["windows", { id: "key k1" }],
      ["audit", { sumName: "s" }],
      ["imports", { id: id("new") }],
    ])("%s by %j, and nothing else", async (table, key) => {
      expect(await adapter.find(table, key)).toBeNull();
      await insert(table, records[table]);
      expect(await adapter.find(table, key)).toEqual({ ...records[table], version: 0 });
      for (const [field, value] of Object.entries(key)) {
        const other = typeof value === "boolean" ? !value : `${value}x`;
        expect(await adapter.find(table, { ...key, [field]: other })).toBeNull();
      }
    });

    it("no record by an empty field, by its begin, or in other letters", async () => {
      await insert("businesses", businessOf("clinic", { displayHash: null }));
      await insert("entries", entryOf(1));
      expect(await adapter.find("businesses", { displayHash: "null" })).toBeNull();
      expect(await adapter.find("entries", { businessId: clinic, "keyed.key": "null" })).toBeNull();
      for (const slug of ["clin", "clinic\u0000", "CLINIC"]) {
        expect(await adapter.find("businesses", { slug })).toBeNull();
      }
    });

    it("a record by the items that it has now", async () => {
      await insert("businesses", businessOf("clinic"));
      const before = await get("businesses", { slug: "clinic" });
      const names = ["second", "third"].map(id);
      const keys = names.map((id) => ({ ...kiosk, businessId: clinic, id }));
      expect(await update("businesses", before, { keys })).toBe("done");
      expect(await adapter.find("businesses", { "keys.id": id("clinic key") })).toBeNull();
      for (const name of names) {
        expect((await get("businesses", { "keys.id": name })).keys).toEqual(keys);
      }
      await remove("businesses", await get("businesses", { slug: "clinic" }));
      expect(await adapter.find("businesses", { "keys.id": id("second") })).toBeNull();
      expect(await insert("businesses", businessOf("clinic"))).toBe("done"); // its keys are free
    });

    it.each([
      ...[
        "Zoë ☕ 👩‍👩‍👧‍👦",
        "e\u0301 is not \u00e9",
        "\u0000starts with NUL",
        "ends with NUL\u0000",
      ],
      ...["a\u0000b\u0001\u001f\u007f", `"quotes" \\ and 'more'`, "\ufeffmark \u2028 \u202e"],
      ...["\u{10ffff}", "\u0001starts with what begins a text as JSON", " ", ""],
    ])("the text %j as it was stored", async (words) => {
      const entry = entryOf(1, { customerName: words, counter: words });
      await insert("entries", entry);
      expect(await get("entries", { id: entry.id })).toEqual({ ...entry, version: 0 });
    });
  });

  describe("sends", () => {
    const audit = auditOf("row");

    it("an update or removal of what was read, with its audit row; of anything else it is a conflict", async () => {
      expect(await insert("entries", fullEntry, audit)).toBe("done");
      const before = await get("entries", { id: fullEntry.id });
      const change = { status: "WAITING", startedAt: null, keyed: null, uses: [] } as const;
      const second = { ...audit, id: "second", method: "PATCH" };
      expect(await update("entries", before, change, second)).toBe("done");
      const after = await get("entries", { id: fullEntry.id });
      expect(after).toEqual({ ...fullEntry, ...change, version: before.version + 1 });
      const late = { ...audit, id: "late" };
      expect(await update("entries", before, { calls: 9 }, late)).toBe("conflict");
      expect(await remove("entries", before)).toBe("conflict");
      const stored = [audit, second].map((row) => ({ ...row, version: 0 }));
      expect((await rows()).sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(stored);
      expect(await remove("entries", after)).toBe("done");
      expect(await remove("entries", after)).toBe("conflict");
      expect(await update("entries", after, { calls: 9 }, late)).toBe("conflict");
      expect((await rows()).filter(({ id }) => id === "late")).toEqual([]);
    });

    it("another business with the slug of one, in its place", async () => {
      await insert("businesses", businessOf("clinic"));
      const other = businessOf("new", { slug: "clinic" });
      const before = await get("businesses", { slug: "clinic" });
      expect(await update("businesses", before, other)).toBe("done");
      for (const key of [{ id: clinic }, { "keys.id": id("clinic key") }]) {
        expect(await adapter.find("businesses", key)).toBeNull();
      }
      const after = { ...other, version: 1 };
      expect(await get("businesses", { "keys.id": id("new key") })).toEqual(after);
    });

    /** What only one record of a table can have: one that has it, and what would give it to another one too. */
    const unique: readonly [string, TableName, object, object][] = [
      ["a slug", "businesses", businessOf("a"), { slug: "a" }],
      ["the id of a business", "businesses", businessOf("a"), { id: id("a") }],
      ["a key", "businesses", businessOf("a"), { keys: businessOf("a").keys }],
      ["the id of an entry", "entries", entryOf(1), { id: id("e1") }],
      ["a number", "entries", entryOf(1), { tokens: [`${front}:000001`] }],
      ["a sequence in the day", "entries", entryOf(1), { sequenceInDay: 1 }],
      [
        "a number that a person left",
        "entries",
        entryOf(1, { tokens: [`${front}:000001`, `${back}:000002`] }),
        { tokens: [`${back}:000002`] },
      ],
      [
        "a number that is left now",
        "entries",
        entryOf(1, { tokens: [`${back}:000001`] }),
        { tokens: [`${front}:000002`, `${back}:000001`] },
      ],
      ["a key", "entries", entryOf(1, { keyed: keyedBy("k") }), { keyed: keyedBy("k") }],
      ["an appointment", "entries", entryOf(1, { appointmentId: "a" }), { appointmentId: "a" }],
      ["the id of an appointment", "appointments", appointmentOf("a"), { id: id("a") }],
      ["an account", "sessions", sessionsOf("a"), { id: id("a") }],
      ["a subject", "windows", windowsOf("a"), { id: "a" }],
      ["a sum", "audit", auditOf("m1", { sumName: "s" }), { sumName: "s" }],
      ["a business", "imports", { id: "a", at: 1 }, { id: "a" }],
    ];
    const others: { readonly [T in TableName]: Tables[T] } = {
      businesses: businessOf("b"),
      entries: entryOf(2),
      appointments: appointmentOf("b", { date: tomorrow }),
      sessions: sessionsOf("b", { sessions: [] }),
      windows: windowsOf("b", { endsAt: 5 }),
      audit: auditOf("m2"),
      imports: { id: "b", at: 2 },
    };

    it.each(unique)(
      "no second record with %s of %s, nor its audit row",
      async (_, table, one, change) => {
        const holdsRows = ["businesses", "entries", "appointments"].includes(table);
        const row = holdsRows ? audit : null; // the changes of other tables have none
        const other = others[table];
        expect(await insert(table, one as never)).toBe("done");
        expect(await insert(table, { ...other, ...change } as never, row)).toBe("conflict");
        expect(await adapter.list(table, { where: {}, limit: 9 })).toEqual([
          { ...one, version: 0 },
        ]);
        if (primaryKeys[table] in change) return; // an update keeps it

        expect(await insert(table, other as never)).toBe("done");
        const before = { ...other, version: 0 } as Stored<typeof table>;
        expect(await update(table, before, change, row)).toBe("conflict");
        const found = await adapter.list(table, { where: {}, limit: 9 });
        expect(found).toEqual(expect.arrayContaining([{ ...one, version: 0 }, before]));
        if (holdsRows) expect(await rows()).toEqual([]);
      },
    );
  });

  it("appends many records, each once", async () => {
    const records = Array.from({ length: 1_200 }, (_, n) => appointmentOf(`n${n}`));
    await adapter.append("appointments", records);
    await adapter.append("appointments", records);
    const where = { businessId: clinic, isRemoved: false };
    const found = await adapter.list("appointments", { where, limit: 2_000 });
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(records.map(({ id }) => id)));
    expect(found).toHaveLength(1_200);
  });
});
