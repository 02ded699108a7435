import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tokenAt } from "../../server/src/rules/token.js";
import type { Adapter, Listing, Write } from "../../server/src/store/port.js";
import type { EntryRecord, Stored, TableName, Tables } from "../../server/src/store/tables.js";
import { type TestDatabase, testedAdapters } from "./support/adapters.js";
import {
  accountOf,
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

describe.each(await testedAdapters())("the $name adapter", ({ isShared, database }) => {
  let db: TestDatabase;
  let adapter: Adapter;

  beforeEach(async () => {
    db = await database();
    adapter = await db.open();
  });
  afterEach(() => adapter.close());

  const insert = <T extends TableName>(table: T, record: Tables[T], audit = null) =>
    adapter.send({ kind: "insert", table, record, audit } as Write);

  async function insertAll<T extends TableName>(table: T, records: readonly Tables[T][]) {
    for (const record of records) expect(await insert(table, record)).toBe("done");
  }

  const update = <T extends TableName>(
    table: T,
    before: Stored<T>,
    change: Partial<Tables[T]>,
    audit: Write["audit"] = null,
  ) => {
    const { version, ...record } = { ...before, ...change };
    return adapter.send({ kind: "update", table, before, record, audit } as unknown as Write);
  };

  const remove = <T extends TableName>(table: T, before: Stored<T>) =>
    adapter.send({ kind: "remove", table, before, audit: null } as Write);

  /** The record, which must be there. */
  async function get<T extends TableName>(
    table: T,
    key: Record<string, string | boolean | number>,
  ) {
    const found = await adapter.find(table, key);
    if (!found) throw new Error(`no ${table} with ${JSON.stringify(key)}`);
    return found;
  }

  describe("finds", () => {
    const records: { [T in TableName]: Tables[T] } = {
      businesses: businessOf("clinic"),
      entries: fullEntry,
      appointments: appointmentOf("visit", {
        ...{ serviceId: id("consult"), customerPhone: "49151", phoneIsInternational: true },
        ...{ notes: "Knee", revision: 3, isRemoved: true, status: "CHECKED_IN" },
      }),
      sessions: sessionsOf("anna"),
      windows: windowsOf("key k1", { writes: { startedAt: 5, count: 9 } }),
      audit: auditOf("m1", { account: "a@b.example", sum: { count: 3, lastAt: 9 }, sumName: "s" }),
      imports: { id: id("new"), at: 5 },
    };

    it.each([
      ["businesses", { slug: "clinic" }],
      ["businesses", { id: clinic }],
      ["businesses", { added: "mark of clinic" }],
      ["businesses", { "keys.id": id("clinic key") }],
      ["businesses", { "queues.id": id("clinic queue") }],
      ["businesses", { "accounts.email": "staff@shared.example" }],
      ["businesses", { "accounts.link.tokenHash": "link of clinic" }],
      ["businesses", { displayHash: "display of clinic" }],
      ["entries", { id: fullEntry.id }],
      ["entries", { businessId: clinic, id: fullEntry.id }],
      ["entries", { businessId: clinic, date: today, tokens: tokenAt(fullEntry) }],
      ["entries", { businessId: clinic, date: today, tokens: `${back}:000003` }],
      ["entries", { businessId: clinic, date: today, placeInDay: 7 }],
      ["entries", { businessId: clinic, "keyed.key": "full" }],
      ["entries", { businessId: clinic, appointmentId: id("visit") }],
      ["entries", { businessId: clinic, uses: front }],
      ["entries", { businessId: clinic, uses: back }],
      ["entries", { businessId: clinic, uses: id("consult") }],
      ["entries", { businessId: clinic, date: today, queueId: front, tokenNumber: 7 }],
      ["entries", { businessId: clinic, date: today, queueId: front, status: "COMPLETED" }],
      ["appointments", { id: id("visit") }],
      ["appointments", { businessId: clinic, isRemoved: true, date: today }],
      ["appointments", { businessId: clinic, isRemoved: true, serviceId: id("consult") }],
      ["sessions", { id: id("anna") }],
      ["sessions", { "sessions.tokenHash": "token of anna" }],
      ["sessions", { businessId: clinic }],
      ["windows", { id: "key k1" }],
      ["audit", { sumName: "s" }],
      ["imports", { id: id("new") }],
    ] as const)("%s by %j, and nothing else", async (table, key) => {
      expect(await adapter.find(table, key)).toBeNull();
      await insert(table, records[table]);
      expect(await adapter.find(table, key)).toEqual({ ...records[table], version: 0 });
      for (const field of Object.keys(key)) {
        const value = key[field as never] as string | number | boolean;
        const other = { string: "other", number: 99, boolean: !value }[typeof value as "string"];
        expect(await adapter.find(table, { ...key, [field]: other })).toBeNull();
      }
    });

    it("no record by an empty field", async () => {
      const link = { link: null };
      await insert(
        "businesses",
        businessOf("bare", { displayHash: null, accounts: [accountOf("a", link)] }),
      );
      await insert("entries", entryOf(1));
      expect(await adapter.find("businesses", { displayHash: "null" })).toBeNull();
      expect(await adapter.find("businesses", { "accounts.link.tokenHash": "null" })).toBeNull();
      expect(await adapter.find("entries", { businessId: clinic, "keyed.key": "null" })).toBeNull();
    });

    it("a record by the items that it has now", async () => {
      await insert("businesses", businessOf("clinic"));
      const before = await get("businesses", { slug: "clinic" });
      const [key] = before.keys;
      if (!key) throw new Error("no key");
      const keys = [
        { ...key, id: id("second") },
        { ...key, id: id("third") },
      ];
      expect(await update("businesses", before, { keys })).toBe("done");
      expect(await adapter.find("businesses", { "keys.id": key.id })).toBeNull();
      for (const { id } of keys)
        expect((await get("businesses", { "keys.id": id })).keys).toEqual(keys);
      expect((await get("businesses", { "queues.id": id("clinic queue") })).version).toBe(1);
      await remove("businesses", await get("businesses", { slug: "clinic" }));
      expect(await adapter.find("businesses", { "keys.id": id("second") })).toBeNull();
      await insertAll("businesses", [businessOf("clinic")]); // nothing holds its keys any more
    });

    it.each([
      "Zoë ☕ 👩‍👩‍👧‍👦",
      "e\u0301 is not \u00e9",
      "\u0000starts with NUL",
      "ends with NUL\u0000",
      "a\u0000b\u0001\u001f\u007f",
      `"quotes" \\ and 'more'`,
      "\ufeffmark \u2028 \u202e",
      "\u{10ffff}",
      " ",
      "",
    ])("the text %j as it was stored", async (words) => {
      const records = {
        entries: entryOf(1, { customerName: words, counter: words }),
        appointments: appointmentOf("visit", { customerName: words, notes: words }),
        businesses: businessOf("clinic", { name: words, category: words }),
      };
      for (const [table, record] of Object.entries(records)) {
        await insert(table as "entries", record as EntryRecord);
        const found = await get(table as "entries", { id: record.id });
        expect(found).toEqual({ ...record, version: 0 });
        expect(await update(table as "entries", found, {})).toBe("done");
      }
    });

    it("nothing by a text that only begins like one", async () => {
      await insert("businesses", businessOf("clinic"));
      expect(await adapter.find("businesses", { slug: "clinic\u0000" })).toBeNull();
      expect(await adapter.find("businesses", { slug: "clin" })).toBeNull();
      expect(await adapter.find("businesses", { slug: "CLINIC" })).toBeNull();
    });

    it("all businesses that share an e-mail address", async () => {
      await insertAll(
        "businesses",
        ["a", "b", "c"].map((name) => businessOf(name)),
      );
      const where = { "accounts.email": "staff@shared.example" };
      const found = await adapter.list("businesses", { where, limit: 10 });
      expect(found.map(({ slug }) => slug).sort()).toEqual(["a", "b", "c"]);
      expect(await adapter.list("businesses", { where, limit: 2 })).toHaveLength(2);
    });
  });

  describe("lists", () => {
    const people = [1, 2, 3, 4, 5, 6].map((number) =>
      entryOf(number, {
        queueId: number % 2 === 0 ? back : front,
        date: number > 4 ? tomorrow : today,
        status: number % 3 === 0 ? "CANCELED" : "WAITING",
      }),
    );
    const numbers = async (listing: Omit<Listing, "limit"> & { readonly limit?: number }) =>
      (await adapter.list("entries", { limit: 100, ...listing })).map(
        ({ tokenNumber }) => tokenNumber,
      );

    beforeEach(() => insertAll("entries", [...people].reverse()));

    it("what is after a place, of which there may be no record", async () => {
      const listing = { where: { businessId: clinic }, order: ["date", "placeInDay"] };
      const from = { ...listing, from: tomorrow, to: tomorrow };
      expect(await numbers({ ...from, after: [tomorrow, 5] })).toEqual([6]);
      expect(await numbers({ ...listing, after: [today, 2] })).toEqual([3, 4, 5, 6]);
      expect(await numbers({ ...listing, after: [today, 99] })).toEqual([5, 6]);
      expect(await numbers({ ...listing, after: [tomorrow, 5], descending: true })).toEqual([
        4, 3, 2, 1,
      ]);
      expect(await numbers({ ...listing, after: [tomorrow, 99] })).toEqual([]);
      expect(await numbers({ ...listing, after: null })).toHaveLength(6);
      expect(await numbers({ ...listing, after: [today] })).toEqual([5, 6]);
    });

    it("what has one of some ids, in no order", async () => {
      const ids = [people[0]?.id ?? "", id("none"), people[5]?.id ?? ""];
      const found = await numbers({ where: { id: ids } });
      expect(found.sort()).toEqual([1, 6]);
      expect(await numbers({ where: { id: [] } })).toEqual([]);
    });

    it("by a flag", async () => {
      await insertAll("appointments", [
        appointmentOf("gone", { isRemoved: true }),
        appointmentOf("late", { slotTime: "11:00" }),
        appointmentOf("early", { slotTime: "09:00" }),
        appointmentOf("other", { date: tomorrow }),
      ]);
      const listing = { where: { businessId: clinic, isRemoved: false, date: today }, limit: 9 };
      const found = await adapter.list("appointments", { ...listing, order: ["slotTime", "id"] });
      expect(found.map(({ id }) => id)).toEqual([id("early"), id("late")]);
    });

    it("rows of the log by time and then id", async () => {
      const rows = [
        auditOf("m3"),
        auditOf("m2", { at: 5 }),
        auditOf("m1"),
        auditOf("m0", { at: 7 }),
      ];
      await adapter.append("audit", rows);
      const listing = {
        where: { businessId: clinic },
        order: ["at", "id"],
        descending: true,
        limit: 9,
      };
      const ids = async (more: object) =>
        (await adapter.list("audit", { ...listing, ...more })).map(({ id }) => id);
      expect(await ids({})).toEqual(["m3", "m1", "m0", "m2"]);
      expect(await ids({ after: [rows[0]?.at, "m3"] })).toEqual(["m1", "m0", "m2"]);
      expect(await ids({ to: 7, from: 6 })).toEqual(["m0"]);
    });
  });

  describe("sends", () => {
    const audit = auditOf("row");
    const rows = () => adapter.list("audit", { where: { businessId: clinic }, limit: 9 });

    it("an update of what was read, with a higher version", async () => {
      await insert("entries", fullEntry);
      const before = await get("entries", { id: fullEntry.id });
      const change = {
        status: "WAITING",
        startedAt: null,
        keyed: null,
        tokens: ["t"],
        uses: [],
      } as const;
      expect(await update("entries", before, change)).toBe("done");
      const after = await get("entries", { id: fullEntry.id });
      expect(after).toEqual({ ...fullEntry, ...change, version: before.version + 1 });
      expect(await adapter.find("entries", { businessId: clinic, uses: front })).toBeNull();
    });

    it("an update without a change, which gets another version too", async () => {
      await insert("windows", windowsOf("w"));
      const before = await get("windows", { id: "w" });
      expect(await update("windows", before, {})).toBe("done");
      expect(await get("windows", { id: "w" })).toEqual({ ...before, version: before.version + 1 });
      expect(await update("windows", before, {})).toBe("lost");
    });

    it("an update or removal of what is no longer as it was read: lost", async () => {
      await insert("sessions", sessionsOf("anna"));
      const before = await get("sessions", { id: id("anna") });
      expect(await update("sessions", before, { endsAt: 1 })).toBe("done");
      expect(await update("sessions", before, { endsAt: 2 })).toBe("lost");
      expect(await remove("sessions", before)).toBe("lost");
      const after = await get("sessions", { id: id("anna") });
      expect(after.endsAt).toBe(1);
      expect(await remove("sessions", after)).toBe("done");
      expect(await adapter.find("sessions", { id: id("anna") })).toBeNull();
      expect(await remove("sessions", after)).toBe("lost");
      expect(await update("sessions", after, { endsAt: 3 })).toBe("lost");
    });

    it("no audit row of an update that is lost", async () => {
      await insert("entries", entryOf(1));
      const before = await get("entries", { id: id("e1") });
      expect(await update("entries", before, { calls: 1 })).toBe("done");
      expect(await update("entries", before, { calls: 2 }, audit)).toBe("lost");
      expect(await remove("entries", await get("entries", { id: id("e1") }))).toBe("done");
      expect(await update("entries", before, { calls: 3 }, audit)).toBe("lost");
      expect(await rows()).toEqual([]);
    });

    it("another business with the slug of one, in its place", async () => {
      await insert("businesses", businessOf("clinic"));
      const before = await get("businesses", { slug: "clinic" });
      const other = businessOf("new", { slug: "clinic" });
      expect(await update("businesses", before, other)).toBe("done");
      expect(await adapter.find("businesses", { id: clinic })).toBeNull();
      expect(await adapter.find("businesses", { "keys.id": id("clinic key") })).toBeNull();
      expect(await get("businesses", { "keys.id": id("new key") })).toEqual({
        ...other,
        version: 1,
      });
    });

    const taken: readonly [string, TableName, object, object][] = [
      ["a slug", "businesses", businessOf("a"), businessOf("b", { slug: "a" })],
      ["the id of a business", "businesses", businessOf("a"), businessOf("b", { id: id("a") })],
      ["a key", "businesses", businessOf("a"), businessOf("b", { keys: businessOf("a").keys })],
      ["the id of an entry", "entries", entryOf(1), entryOf(2, { id: id("e1") })],
      ["a number", "entries", entryOf(1), entryOf(2, { tokenNumber: 1 })],
      ["a place in the day", "entries", entryOf(1), entryOf(2, { placeInDay: 1 })],
      [
        "a number that a person left",
        "entries",
        entryOf(1, { tokens: [`${front}:000001`, `${back}:000002`] }),
        entryOf(2, { queueId: back }),
      ],
      [
        "a number that is left now",
        "entries",
        entryOf(1, { queueId: back }),
        entryOf(2, { tokens: [`${front}:000002`, `${back}:000001`] }),
      ],
      [
        "an idempotency key",
        "entries",
        entryOf(1, { keyed: keyedBy("k") }),
        entryOf(2, { keyed: keyedBy("k") }),
      ],
      [
        "an appointment",
        "entries",
        entryOf(1, { appointmentId: "a" }),
        entryOf(2, { appointmentId: "a" }),
      ],
      [
        "the id of an appointment",
        "appointments",
        appointmentOf("a"),
        appointmentOf("a", { date: tomorrow }),
      ],
      ["an account of sessions", "sessions", sessionsOf("a"), sessionsOf("a", { sessions: [] })],
      ["windows", "windows", windowsOf("a"), windowsOf("a", { endsAt: 5 })],
      ["a sum", "audit", auditOf("m1", { sumName: "s" }), auditOf("m2", { sumName: "s" })],
      ["an import", "imports", { id: "a", at: 1 }, { id: "a", at: 2 }],
    ];

    it.each(taken)("no second record with %s, nor its audit row", async (_, table, one, other) => {
      expect(await insert(table, one as never)).toBe("done");
      const holdsRows = ["businesses", "entries", "appointments"].includes(table);
      const row = holdsRows ? { ...audit, id: "second" } : null; // the changes of other tables have none
      const second = { kind: "insert", table, record: other, audit: row };
      expect(await adapter.send(second as unknown as Write)).toBe("lost");
      const found = await adapter.list(table, { where: {}, limit: 9 });
      expect(found).toEqual([{ ...one, version: 0 }]);
      if (table !== "audit") expect(await rows()).toEqual([]);
    });

    const moved: readonly [string, TableName, object, object, object][] = [
      ["a key", "businesses", businessOf("a"), businessOf("b"), { keys: businessOf("a").keys }],
      ["a number", "entries", entryOf(1), entryOf(2), { tokens: [`${front}:000001`] }],
      ["a place in the day", "entries", entryOf(1), entryOf(2), { placeInDay: 1 }],
      [
        "an idempotency key",
        "entries",
        entryOf(1, { keyed: keyedBy("k") }),
        entryOf(2),
        { keyed: keyedBy("k") },
      ],
      [
        "an appointment",
        "entries",
        entryOf(1, { appointmentId: "a" }),
        entryOf(2),
        { appointmentId: "a" },
      ],
    ];

    it.each(moved)(
      "no update to %s that another record has",
      async (_, table, one, other, change) => {
        await insertAll(table, [one, other] as never);
        const [before] = (await adapter.list(table, { where: {}, limit: 9 })).filter(
          (record) => record.id === (other as { readonly id: string }).id,
        );
        expect(await update(table, before as never, change, audit)).toBe("lost");
        expect(await get(table, { id: (other as { readonly id: string }).id })).toEqual(before);
        expect(await rows()).toEqual([]);
      },
    );

    it("the same values on another day, in another queue and of another business", async () => {
      const other = { businessId: id("other") };
      await insertAll("entries", [
        entryOf(1, { keyed: keyedBy("k"), appointmentId: "a" }),
        entryOf(1, { ...other, id: id("p1"), keyed: keyedBy("k"), appointmentId: "a" }),
        entryOf(1, { id: id("p2"), date: tomorrow }),
        entryOf(1, { id: id("p3"), queueId: back, placeInDay: 2 }),
      ]);
    });

    it("the audit row of a write with it", async () => {
      const write = { kind: "insert", table: "entries", record: entryOf(1), audit } as const;
      expect(await adapter.send(write)).toBe("done");
      expect(await rows()).toEqual([expect.objectContaining(audit)]);
      const before = await get("entries", { id: id("e1") });
      const second = { ...audit, id: "second", method: "PATCH" };
      expect(await update("entries", before, { status: "CANCELED" }, second)).toBe("done");
      expect((await rows()).map(({ id }) => id).sort()).toEqual(["row", "second"]);
    });

    it("only one of many writes with the same number at one moment", async () => {
      const sent = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          insert("entries", entryOf(1, { id: id(`p${n}`), placeInDay: n + 1 })),
        ),
      );
      expect(sent.filter((outcome) => outcome === "done")).toHaveLength(1);
      expect(
        await adapter.list("entries", { where: { businessId: clinic }, limit: 99 }),
      ).toHaveLength(1);
    });

    it("all of many updates of one record, one after the other", async () => {
      await insert("windows", windowsOf("w", { requests: { startedAt: 1, count: 0 } }));
      const count = async (): Promise<void> => {
        const before = await get("windows", { id: "w" });
        const requests = { startedAt: 1, count: before.requests.count + 1 };
        if ((await update("windows", before, { requests })) === "lost") await count();
      };
      await Promise.all(Array.from({ length: 12 }, count));
      expect((await get("windows", { id: "w" })).requests.count).toBe(12);
    });
  });

  describe("keeps up", () => {
    it("appends many records once", async () => {
      const records = Array.from({ length: 1_200 }, (_, n) => entryOf(n + 1));
      await adapter.append("entries", records);
      const found = await adapter.list("entries", {
        ...{ where: { businessId: clinic, date: today, queueId: front } },
        ...{ order: ["tokenNumber"], limit: 2_000 },
      });
      expect(found).toEqual(records.map((record) => ({ ...record, version: 0 })));
    });

    it("leaves a record as it is that is appended again", async () => {
      await adapter.append("entries", [entryOf(1), entryOf(2)]);
      const before = await get("entries", { id: id("e1") });
      await update("entries", before, { status: "CANCELED" });
      await adapter.append("entries", [entryOf(1), entryOf(2), entryOf(3)]);
      expect((await get("entries", { id: id("e1") })).status).toBe("CANCELED");
      expect((await get("entries", { id: id("e3") })).version).toBe(0);
      await adapter.append("appointments", []);
    });

    it("purges records below a value, and no more than were asked for", async () => {
      const ends = [5, 1, 4, 2, 3];
      await insertAll(
        "windows",
        ends.map((endsAt) => windowsOf(`w${endsAt}`, { endsAt })),
      );
      const purge = { table: "windows", field: "endsAt", below: 5 } as const;
      expect(await adapter.purge({ ...purge, limit: 3 })).toBe(3);
      expect(await adapter.purge({ ...purge, limit: 3 })).toBe(1);
      expect(await adapter.purge({ ...purge, limit: 3 })).toBe(0);
      const left = await adapter.list("windows", { where: {}, limit: 9 });
      expect(left.map(({ id }) => id)).toEqual(["w5"]);
    });

    it.each([
      ["sessions", "endsAt", sessionsOf("a", { endsAt: 4 }), sessionsOf("b", { endsAt: 5 })],
      ["audit", "at", auditOf("m1", { at: 4 }), auditOf("m2", { at: 5 })],
    ] as const)("purges %s by %s", async (table, field, old, young) => {
      await insert(table, old as never);
      await insert(table, young as never);
      expect(await adapter.purge({ table, field, below: 5, limit: 9 })).toBe(1);
      const left = await adapter.list(table, { where: { businessId: clinic }, limit: 9 });
      expect(left).toEqual([expect.objectContaining(young)]);
    });

    it("frees idempotency keys, whose entries stay", async () => {
      await insertAll("entries", [
        entryOf(1, { keyed: keyedBy("old", 4) }),
        entryOf(2, { keyed: keyedBy("young", 5) }),
        entryOf(3),
      ]);
      const purge = {
        table: "entries",
        field: "keyed.keptUntil",
        below: 5,
        clear: "keyed",
      } as const;
      expect(await adapter.purge({ ...purge, limit: 9 })).toBe(1);
      expect(await adapter.purge({ ...purge, limit: 9 })).toBe(0);
      expect(await get("entries", { id: id("e1") })).toMatchObject(entryOf(1));
      expect((await get("entries", { id: id("e2") })).keyed).toEqual(keyedBy("young", 5));
      await insertAll("entries", [entryOf(4, { keyed: keyedBy("old") })]);
    });

    it("sweeps the records of one business, and no more than were asked for", async () => {
      const other = { businessId: id("other") };
      const people = [1, 2, 3].map((number) => entryOf(number));
      await adapter.append("entries", [...people, entryOf(4, other)]);
      await adapter.append("appointments", [appointmentOf("a"), appointmentOf("b", other)]);
      await adapter.append("audit", [auditOf("m1"), auditOf("m2", other)]);
      await insertAll("sessions", [sessionsOf("a"), sessionsOf("b", other)]);
      expect(await adapter.sweep("entries", clinic, 2)).toBe(2);
      expect(await adapter.sweep("entries", clinic, 2)).toBe(1);
      expect(await adapter.sweep("entries", clinic, 2)).toBe(0);
      for (const table of ["appointments", "audit", "sessions"] as const) {
        expect(await adapter.sweep(table, clinic, 9)).toBe(1);
      }
      for (const table of ["entries", "appointments", "audit", "sessions"] as const) {
        const where = { businessId: id("other") };
        expect(await adapter.list(table, { where, limit: 9 })).toHaveLength(1);
      }
      await insertAll("entries", people); // nothing holds their numbers any more
      await insertAll("sessions", [sessionsOf("a")]);
    });

    it("tidies and pings", async () => {
      await adapter.tidy();
      await adapter.ping();
    });
  });

  describe.each(isShared ? ["another one"] : [])("with %s on the same database", () => {
    let other: Adapter;

    beforeEach(async () => {
      other = await db.open();
    });
    afterEach(() => other.close());

    it("reads what the other one has written", async () => {
      await insert("businesses", businessOf("clinic"));
      const before = await other.find("businesses", { "keys.id": id("clinic key") });
      expect(before).toEqual({ ...businessOf("clinic"), version: 0 });
      await update("businesses", before as Stored<"businesses">, { name: "Moved" });
      expect((await other.find("businesses", { slug: "clinic" }))?.name).toBe("Moved");
    });
  });
});
