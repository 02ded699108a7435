import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { StoreOpenError } from "../../server/src/store/errors.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import type { Adapter, Listing } from "../../server/src/store/port.js";
import type { Stored, TableName, Tables } from "../../server/src/store/tables.js";
import { emptyMongoDatabase, mongoDatabase, withDatabase } from "../support/mongo.js";
import { appointment, auditRow, business, date, entry, newId } from "./support/adapter-records.js";

type AtEnd = (end: OnTestFinishedHandler) => void;

async function opened(atEnd: AtEnd) {
  const database = emptyMongoDatabase();
  atEnd(database.remove);
  const commands: Record<string, unknown>[] = [];
  const { adapter, clock } = await openMongo(database.url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  atEnd(() => adapter.close());
  return { ...database, adapter, clock, commands };
}

async function insert<T extends TableName>(
  adapter: Adapter,
  table: T,
  record: Tables[T],
  audit: Tables["audit"] | null = null,
): Promise<Stored<T>> {
  expect(await adapter.send({ kind: "insert", table, record, audit } as never)).toBe("done");
  return { ...record, version: 0 };
}

function update<T extends TableName>(
  table: T,
  before: Stored<T>,
  change: Partial<Tables[T]>,
  audit: Tables["audit"] | null = null,
): Parameters<Adapter["send"]>[0] {
  const { version, ...record } = { ...before, ...change };
  return { kind: "update", table, before, record, audit } as never;
}

const receipt = (record: Tables["entries"]) => {
  const { tokens, uses, keyed, changedAt, ...plain } = record;
  const pace = { inService: 1, finished: 2, finishedMs: 3 };
  return {
    ...{ entry: plain, location: "/v1/x" },
    line: { ahead: { people: 1, knownMinutes: 2, unknown: 3 }, pace },
  };
};

describe("records on MongoDB", () => {
  test("come back as they were written, with every field", async ({ onTestFinished }) => {
    const { adapter } = await opened(onTestFinished);
    const clinic = business({
      displayHash: "shown",
      services: [
        {
          ...{ id: "s", businessId: "b", name: "Visit", price: 1.5, baseTimeMinutes: null },
          ...{ active: true, revision: 3 },
        },
      ],
      accounts: [
        {
          ...{ id: "a", businessId: "b", email: "a@b.c", passwordHash: null, role: "staff" },
          ...{ link: { tokenHash: "t", expiresAt: 5 }, createdAt: 1, generation: 2 },
        },
      ],
      used: [{ id: "s", at: 7 }],
    });
    const plain = entry(clinic.id, 1, { workMinutes: null, customerName: "" });
    const keyed = { key: "k", fingerprint: "f", receipt: receipt(plain), keptUntil: 99 };
    const left = {
      ...{ queueId: "back", tokenSeries: "B", tokenNumber: 4, status: "IN_SERVICE" as const },
      ...{ startedAt: 1, calls: 2, counter: "1", leftAtRevision: 3 },
    };
    const person = entry(clinic.id, 2, { keyed, appointmentId: "x", earlierPlaces: [left] });
    const records: [TableName, Tables[TableName]][] = [
      ["businesses", clinic],
      ["businesses", business({ keys: [] })],
      ["businesses", business({ keys: [] })],
      ["entries", plain],
      ["entries", person],
      ["appointments", appointment(clinic.id)],
      [
        "sessions",
        {
          ...{ id: "a", businessId: clinic.id, endsAt: 9 },
          sessions: [{ tokenHash: "h", createdAt: 1, expiresAt: 2, generation: 3 }],
        },
      ],
      ["windows", { id: "w", requests: { startedAt: 1, count: 2 }, writes: null, endsAt: 3 }],
      ["audit", auditRow(clinic.id, 5, { sum: { count: 2, lastAt: 6 }, sumName: "sum" })],
      ["audit", auditRow(clinic.id, 6)],
      ["imports", { id: "copy", at: 5 }],
    ];
    for (const [table, record] of records) {
      const stored = await insert(adapter, table, record);
      const key = "slug" in record ? { slug: record.slug } : { id: record.id };
      expect(await adapter.find(table, key)).toEqual(stored);
    }
    expect(await adapter.find("businesses", { "keys.id": `${clinic.id}k` })).toMatchObject(clinic);
    expect(await adapter.find("businesses", { displayHash: "shown" })).toMatchObject(clinic);
    expect(await adapter.find("businesses", { "accounts.link.tokenHash": "t" })).not.toBeNull();
    expect(
      await adapter.find("entries", { businessId: clinic.id, "keyed.key": "k" }),
    ).toMatchObject(person);
    expect(await adapter.find("audit", { sumName: "sum" })).not.toBeNull();
    expect(await adapter.find("entries", { id: person.id, businessId: "other" })).toBeNull();
  });

  test("a field that no schema has is an error, and so is a value of another type", async ({
    onTestFinished,
  }) => {
    const { adapter } = await opened(onTestFinished);
    const strange = { ...entry("b", 1), strange: 1 };
    await expect(insert(adapter, "entries", strange)).rejects.toThrow(/strange/);
    const wrong = { ...entry("b", 1), tokenNumber: "first" as never };
    await expect(insert(adapter, "entries", wrong)).rejects.toThrow(/tokenNumber/);
    const unknown = { ...entry("b", 1), status: "LOST" as never };
    await expect(insert(adapter, "entries", unknown)).rejects.toThrow(/status/);
    const stored = await insert(adapter, "entries", entry("b", 1));
    const calls = { calls: "many" as never };
    await expect(adapter.send(update("entries", stored, calls))).rejects.toThrow(/calls/);
    await expect(adapter.send(update("entries", stored, { strange } as never))).rejects.toThrow(
      /strange/,
    );
    expect(await adapter.find("entries", { id: stored.id })).toEqual(stored);
  });

  test("one of two writes of a version is lost, and so is a write of taken values", async ({
    onTestFinished,
  }) => {
    const { adapter } = await opened(onTestFinished);
    const first = await insert(adapter, "entries", entry("b", 1, { appointmentId: "visit" }));
    const taken: Tables["entries"][] = [
      { ...entry("b", 9), id: first.id },
      { ...entry("b", 9), tokens: first.tokens },
      { ...entry("b", 9), placeInDay: 1 },
      { ...entry("b", 9), appointmentId: "visit" },
    ];
    for (const record of taken) {
      expect(await adapter.send({ kind: "insert", table: "entries", record, audit: null })).toBe(
        "lost",
      );
    }
    const changes = Array.from({ length: 8 }, (_, n) =>
      adapter.send(update("entries", first, { counter: `${n}` })),
    );
    const results = await Promise.all(changes);
    expect(results.toSorted()).toEqual(["done", ...Array(7).fill("lost")]);
    const now = await adapter.find("entries", { id: first.id });
    expect(now).toMatchObject({ version: 1, counter: `${results.indexOf("done")}` });
    if (!now) throw new Error("it exists");
    const remove = { kind: "remove", table: "entries", audit: null } as const;
    expect(await adapter.send({ ...remove, before: first })).toBe("lost");
    expect(await adapter.send(update("entries", now, { appointmentId: null }))).toBe("done");
    expect(await adapter.find("entries", { id: first.id })).toEqual({
      ...{ ...now, appointmentId: null, version: 2 },
    });
    expect(await adapter.send({ ...remove, before: { ...now, version: 2 } })).toBe("done");
    expect(await adapter.find("entries", { id: first.id })).toBeNull();
  });

  test("are listed in the order of an index, from a place on, in either direction", async ({
    onTestFinished,
  }) => {
    const { adapter } = await opened(onTestFinished);
    const records = Array.from({ length: 9 }, (_, n) => ({
      ...appointment("b"),
      ...{ id: `visit${n}`, slotTime: `1${Math.floor(n / 3)}:00` },
    }));
    await adapter.append("appointments", records);
    const listed = async (listing: Partial<Listing>) =>
      (
        await adapter.list("appointments", {
          where: { businessId: "b", isRemoved: false, date: [date, "2026-11-25"] },
          ...{ order: ["slotTime", "id"], limit: 4, ...listing },
        })
      ).map(({ id }) => Number(id.slice(-1)));
    expect(await listed({})).toEqual([0, 1, 2, 3]);
    expect(await listed({ after: ["11:00", "visit3"] })).toEqual([4, 5, 6, 7]);
    expect(await listed({ after: ["10:00"] })).toEqual([3, 4, 5, 6]);
    expect(await listed({ descending: true, after: ["12:00", "visit7"] })).toEqual([6, 5, 4, 3]);
    expect(await listed({ from: "11:00", to: "11:00" })).toEqual([3, 4, 5]);
    expect(await listed({ from: "11:00", after: ["11:00", "visit4"], to: "11:00" })).toEqual([5]);
  });
});

describe("the day of a business on MongoDB", () => {
  test("is counted in groups, with its line and what was given last", async ({
    onTestFinished,
  }) => {
    const { adapter } = await opened(onTestFinished);
    const day = { businessId: "b", date };
    const front = { ...day, queueId: "front" };
    expect(await adapter.last(front)).toEqual({ number: 0, place: 0, changedAt: 0 });
    const left = (tokenNumber: number) => ({
      ...{ queueId: "front", tokenSeries: "A", tokenNumber, status: "WAITING" as const },
      ...{ startedAt: null, calls: 0, counter: null, leftAtRevision: 1 },
    });
    await adapter.append("entries", [
      entry("b", 1, { status: "COMPLETED", startedAt: 100, completedAt: 400, placeInDay: 1 }),
      entry("b", 2, { placeInDay: 2 }),
      entry("b", 3, { placeInDay: 3, priority: true }),
      entry("b", 4, { placeInDay: 4, workMinutes: null, changedAt: 9_000 }),
      entry("b", 1, { queueId: "back", placeInDay: 5, earlierPlaces: [left(5)] }),
      entry("b", 2, { queueId: "back", placeInDay: 6, earlierPlaces: [left(7), left(6)] }),
      entry("c", 1),
    ]);
    expect(await adapter.last(front)).toEqual({ number: 7, place: 6, changedAt: 9_000 });
    expect(await adapter.last({ ...day, queueId: "back" })).toMatchObject({ number: 2 });
    const groups = await adapter.count(front);
    expect(groups).toHaveLength(4);
    const none = { queueId: "front", priority: false, workMinutes: 5, isBefore: true, entries: 1 };
    expect(groups).toContainEqual({ ...none, status: "COMPLETED", finishedMs: 300 });
    expect(groups).toContainEqual({ ...none, status: "WAITING", workMinutes: null, finishedMs: 0 });
    const before = await adapter.count(day, 3);
    expect(before.filter(({ isBefore }) => !isBefore).map((one) => one.entries)).toEqual([1, 1]);
    expect(before.find(({ queueId }) => queueId === "back")).toMatchObject({ entries: 2 });
    expect((await adapter.line(front)).map(({ tokenNumber }) => tokenNumber)).toEqual([3, 2, 4]);
    expect((await adapter.line(day)).map(({ queueId }) => queueId)).toEqual([
      ...["back", "back", "front", "front", "front"],
    ]);
    const waiting = await adapter.waiting([date, "2026-11-25"]);
    expect(waiting).toHaveLength(2);
    expect(waiting).toContainEqual({ businessId: "b", date, waiting: 5, firstIssuedAt: 1_001 });
  });
});

describe("audit rows on MongoDB", () => {
  test("are read from documents and the log as one list, also while they move", async ({
    onTestFinished,
  }) => {
    const { adapter, url, clock } = await opened(onTestFinished);
    const clinic = business();
    const now = clock();
    const rows: Tables["audit"][] = [];
    const row = (n: number) => {
      const one = auditRow(clinic.id, now - (n % 7) * 3_600_000 - n, { id: `row${n}`.padEnd(9) });
      rows.push(one);
      return one;
    };
    await insert(adapter, "businesses", clinic, row(0));
    let person = await insert(adapter, "entries", entry(clinic.id, 1), row(1));
    const visit = await insert(adapter, "appointments", appointment(clinic.id), row(2));
    expect(await adapter.send(update("appointments", visit, { notes: "x" }, row(3)))).toBe("done");
    await adapter.append("audit", [row(4), row(5), auditRow("other", now)]);
    for (let n = 6; n < 260; n++) {
      expect(await adapter.send(update("entries", person, { calls: n }, row(n)))).toBe("done");
      person = { ...person, calls: n, version: person.version + 1 };
    }
    const order = (a: Tables["audit"], b: Tables["audit"]) => a.at - b.at || (a.id < b.id ? -1 : 1);
    const all = rows.toSorted(order).map((one) => ({ ...one, version: 0 }));

    async function pages(descending: boolean, limit: number) {
      const found: Stored<"audit">[] = [];
      for (;;) {
        const last = found.at(-1);
        const page = await adapter.list("audit", {
          where: { businessId: clinic.id },
          ...{ order: ["at", "id"], descending, limit, after: last ? [last.at, last.id] : null },
        });
        found.push(...page);
        if (page.length < limit) return found;
      }
    }
    expect(await pages(true, 40)).toEqual(all.toReversed());
    expect(await pages(false, 40)).toEqual(all);
    const moving = adapter.tidy();
    expect(await pages(true, 100)).toEqual(all.toReversed());
    await moving;
    const held = await withDatabase(url, (db) => db.collection("entries").findOne({}));
    expect(held?.audits).toHaveLength(100);
    expect(held?.audits.at(-1)._id).toBe(rows.at(-1)?.id);
    expect(await pages(true, 300)).toEqual(all.toReversed());
    expect(await adapter.find("entries", { id: person.id })).toEqual(person);

    const within = await adapter.list("audit", {
      where: { businessId: clinic.id },
      ...{ order: ["at", "id"], descending: true, limit: 500 },
      ...{ from: now - 3 * 3_600_000, to: now - 100 },
    });
    const isWithin = ({ at }: Tables["audit"]) => at >= now - 3 * 3_600_000 && at <= now - 100;
    expect(within).toEqual(all.toReversed().filter(isWithin));

    const below = now - 3 * 3_600_000;
    const old = rows.filter(({ at }) => at < below).length;
    const purge = { table: "audit", field: "at", below } as const;
    expect(await adapter.purge({ ...purge, limit: 10 })).toBe(10);
    let purged = 10;
    for (let some = 1; some > 0; purged += some)
      some = await adapter.purge({ ...purge, limit: 100 });
    expect(purged).toBe(old);
    expect(await pages(true, 300)).toEqual(all.toReversed().filter(({ at }) => at >= below));
    let swept = 0;
    for (let some = 1; some > 0; swept += some) some = await adapter.sweep("audit", clinic.id, 50);
    expect(swept).toBe(rows.length - old);
    expect(await pages(true, 300)).toEqual([]);
  });

  test("ride in the records of three tables only", async ({ onTestFinished }) => {
    const { adapter } = await opened(onTestFinished);
    const record = { id: newId(), at: 1 };
    await expect(insert(adapter, "imports", record, auditRow("b", 1))).rejects.toThrow(/imports/);
  });
});

describe("upkeep on MongoDB", () => {
  test("appends what is missing, clears keys that ended, and sweeps a business", async ({
    onTestFinished,
  }) => {
    const { adapter } = await opened(onTestFinished);
    const people = Array.from({ length: 30 }, (_, n) => {
      const plain = entry("b", n + 1);
      const keyed = { key: `k${n}`, fingerprint: "f", receipt: receipt(plain), keptUntil: n };
      return { ...plain, keyed };
    });
    await adapter.append("entries", people.slice(0, 20));
    await adapter.append("entries", people);
    await expect(
      adapter.append("entries", [{ ...entry("b", 31), placeInDay: 1 }]),
    ).rejects.toThrow();
    await expect(
      adapter.append("entries", [{ ...entry("b", 32), strange: 1 } as never]),
    ).rejects.toThrow(/strange/);
    const purge = {
      table: "entries",
      field: "keyed.keptUntil",
      below: 12,
      clear: "keyed",
    } as const;
    expect(await adapter.purge({ ...purge, limit: 10 })).toBe(10);
    expect(await adapter.purge({ ...purge, limit: 10 })).toBe(2);
    expect(await adapter.purge({ ...purge, limit: 10 })).toBe(0);
    expect(await adapter.find("entries", { id: people[3]?.id ?? "" })).toMatchObject({
      keyed: null,
    });
    expect(await adapter.find("entries", { businessId: "b", "keyed.key": "k12" })).not.toBeNull();
    expect(await adapter.sweep("entries", "b", 25)).toBe(25);
    expect(await adapter.sweep("entries", "b", 25)).toBe(5);
    const windows = { requests: { startedAt: 1, count: 2 }, writes: null };
    await insert(adapter, "windows", { id: "w", ...windows, endsAt: 3 });
    await insert(adapter, "windows", { id: "x", ...windows, endsAt: 4 });
    expect(await adapter.purge({ table: "windows", field: "endsAt", below: 4, limit: 5 })).toBe(1);
  });
});

describe("the URL of a MongoDB database", () => {
  const lowering = ["w=1", "w=0", "journal=false", "readConcernLevel=local"];
  for (const option of [...lowering, "readPreference=secondary", "readpreference=nearest"]) {
    test(`is refused with ${option}, and the error names the option`, async () => {
      const [name = ""] = option.split("=");
      const opening = openMongo(`${mongoDatabase().url}?${option}`, { prepare: "never" });
      await expect(opening).rejects.toThrow(StoreOpenError);
      await expect(opening).rejects.toThrow(name);
    });
  }

  test("may say what holds anyway", async ({ onTestFinished }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    const options = "w=majority&readConcernLevel=majority&readPreference=primary&journal=true";
    const { adapter } = await openMongo(`${url}?${options}`, { prepare: "always" });
    await adapter.ping();
    await adapter.close();
  });

  test("without options gives majority reads and writes", async ({ onTestFinished }) => {
    const { adapter, commands } = await opened(onTestFinished);
    await insert(adapter, "entries", entry("b", 1));
    await adapter.count({ businessId: "b", date });
    const sent = (name: string) => commands.findLast((command) => name in command);
    expect(sent("insert")).toMatchObject({ writeConcern: { w: "majority" } });
    expect(sent("aggregate")).toMatchObject({ readConcern: { level: "majority" } });
  });
});
