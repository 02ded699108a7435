import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Adapter, Value, WaitingCount } from "../../server/src/store/port.js";
import type { EntryRecord, Stored, TableName } from "../../server/src/store/tables.js";
import { testedAdapters, unique } from "./support/adapters.js";
import { type List, orderedLists, unorderedLists } from "./support/lists.js";
import {
  appointmentOf,
  auditOf,
  back,
  today as date,
  entryOf,
  front,
  keyedBy,
  sessionsOf,
  tomorrow,
  windowsOf,
} from "./support/records.js";
import { insertion, send, update } from "./support/writes.js";

/*
 * Every adapter gives the answers of the memory adapter to the same calls. What those must be, the tests of the operations
 * and the model say.
 */

type Drawn<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;

const statuses = ["WAITING", "WAITING", "IN_SERVICE", "COMPLETED", "CANCELED"] as const;
const shared = fc.constantFrom(null, null, "a", "b"); // what at most one entry of a business may have

/** What is stored of an entry, whose number, sequence, key and appointment may be those of another one. */
const drawnEntry = fc.record({
  which: fc.integer({ min: 1, max: 15 }),
  date: fc.constantFrom(date, date, tomorrow),
  sequenceInDay: fc.integer({ min: 1, max: 25 }),
  queueId: fc.constantFrom(front, back),
  tokenNumber: fc.integer({ min: 1, max: 12 }),
  status: fc.constantFrom(...statuses),
  priority: fc.boolean(),
  workMinutes: fc.constantFrom(null, 0, 5, 20),
  issuedAt: fc.integer({ min: 1, max: 50 }),
  startedAt: fc.option(fc.integer({ min: 1, max: 50 })),
  completedAt: fc.option(fc.integer({ min: 51, max: 99 })),
  key: shared,
  appointmentId: shared,
});

/** A new entry, or a change of one: it keeps its day, and the token that it leaves. */
function entryFrom(
  { which, key, ...drawn }: Drawn<typeof drawnEntry>,
  before: EntryRecord | null,
  own: Pick<EntryRecord, "id" | "businessId" | "changedAt">,
): EntryRecord {
  const keyed = key === null ? null : keyedBy(key, which);
  if (!before) return entryOf(which, { ...drawn, ...own, keyed });
  const { queueId, tokenSeries, tokenNumber, status } = before;
  const left = { startedAt: null, calls: 0, counter: null, leftAtRevision: 1 };
  const token = { queueId, tokenSeries, tokenNumber, status, ...left };
  const isMoved = queueId !== drawn.queueId || tokenNumber !== drawn.tokenNumber;
  return entryOf(which, {
    ...drawn,
    ...own,
    keyed,
    date: before.date,
    sequenceInDay: before.sequenceInDay,
    earlierTokens: isMoved ? [token, ...before.earlierTokens] : before.earlierTokens,
  });
}

/** A part of a list. The places are those of records, or one further. */
const drawnPart = fc.record({
  list: fc.nat(),
  after: fc.option(fc.nat(20), { nil: null }),
  from: fc.option(fc.nat(20), { nil: null }),
  to: fc.option(fc.nat(20), { nil: null }),
  further: fc.nat(1),
  places: fc.integer({ min: 1, max: 3 }),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 12 }),
});

/** What is removed, or freed, when it has ended. */
const expiring = ["sessions", "windows", "audit", "entries"] as const;

/** The records of an answer in an order that does not depend on the adapter. */
const sorted = (records: readonly object[]) =>
  records.map((record) => JSON.stringify(record, Object.keys(record).sort())).sort();

describe.each(testedAdapters.filter(({ name }) => name !== "memory"))(
  "the $name adapter answers as the memory adapter",
  ({ open }) => {
    let adapter: Adapter;
    let memory: Adapter;
    let businessId: string;
    let changes: number;

    beforeAll(async () => {
      adapter = await open();
    });
    afterAll(() => adapter.close());

    /** A business that no run before had. Nothing is left of theirs that has an end. */
    async function begin(): Promise<void> {
      [memory, businessId, changes] = [memoryAdapter(), unique("b"), 0];
      const end = Number.MAX_SAFE_INTEGER;
      for (const table of expiring) await adapter.removeExpired(table, end, 10_000);
    }

    /** Asks both, and expects one answer. */
    async function both<Answer>(
      ask: (adapter: Adapter) => Promise<Answer>,
      seen: (answer: Answer) => unknown = (answer) => answer,
    ): Promise<Answer> {
      const answer = await ask(memory);
      expect(seen(await ask(adapter))).toEqual(seen(answer));
      return answer;
    }

    /** Inserts an entry, or updates it if it is there, with an audit row. */
    async function sendEntry(drawn: Drawn<typeof drawnEntry>): Promise<void> {
      const own = { id: `${businessId}${drawn.which}`, businessId, changedAt: ++changes };
      const before = await both(({ find }) => find("entries", { id: own.id }));
      const record = entryFrom(drawn, before, own);
      const audit = auditOf(`${businessId}row${changes}`, { businessId, at: drawn.sequenceInDay });
      const write = before
        ? update("entries", before, record, audit)
        : insertion("entries", record, audit);
      await both((one) => send(one, write));
    }

    /** Stores records of the other tables, each of which has another place in each list. */
    async function storeOthers(): Promise<void> {
      const numbers = Array.from({ length: 12 }, (_, n) => n + 1);
      const visits = numbers.map((n) =>
        appointmentOf(`${businessId}v${n}`, {
          businessId,
          slotTime: n % 3 === 0 ? "09:00" : "10:30",
          isRemoved: n % 4 === 0,
          ...(n % 2 === 0 && { date: tomorrow }),
        }),
      );
      const rows = numbers.map((n) => auditOf(`${businessId}m${n}`, { businessId, at: 2 * n }));
      for (const _ of ["first", "again"]) {
        await both(({ append }) => append("appointments", visits));
        await both(({ append }) => append("audit", rows));
      }
      for (const endsAt of numbers.toReversed()) {
        const name = `${businessId}${endsAt}`;
        const sessions = sessionsOf(name, { businessId, endsAt });
        await both((one) => send(one, insertion("sessions", sessions)));
        await both((one) => send(one, insertion("windows", windowsOf(name, { endsAt }))));
      }
    }

    async function expectCounts(): Promise<void> {
      for (const day of [date, tomorrow]) {
        for (const queueId of [undefined, front, back]) {
          const asked = { businessId, date: day, ...(queueId && { queueId }) };
          await both(({ count }) => count(asked), sorted);
          await both(({ count }) => count(asked, { first: 6, last: 9 }), sorted);
          for (const one of [front, back]) {
            await both(
              ({ line }) => line(asked),
              (found) => found.filter((entry) => entry.queueId === one),
            );
          }
        }
        const asked = { businessId, date: day, queueId: front };
        await both(({ last }) => last(asked));
      }
      const own = (found: readonly WaitingCount[]) =>
        sorted(found.filter((one) => one.businessId === businessId));
      await both(({ waiting }) => waiting([date, tomorrow, "2026-11-23"]), own);
    }

    async function expectLists(parts: readonly Drawn<typeof drawnPart>[]): Promise<void> {
      const lists = orderedLists(businessId);
      for (const { list: at, after, from, to, further, places, ...rest } of parts) {
        const [table, where, order] = lists[at % lists.length] as List;
        const whole = await both(({ list }) => list(table, { where, order, limit: 1_000 }));
        const placeOf = (at: number | null) => {
          const record = at === null ? null : whole[at % whole.length];
          return record ? order.map((field) => nextTo(record, field, further)) : null;
        };
        const [first, last] = [placeOf(from)?.[0] ?? null, placeOf(to)?.[0] ?? null];
        const place = placeOf(after)?.slice(0, places) ?? null;
        const part = { where, order, ...rest, from: first, to: last, after: place };
        await both(({ list }) => list(table, part));
      }
      for (const [table, where] of unorderedLists(businessId)) {
        await both(({ list }) => list(table, { where, limit: 99 }), sorted);
      }
    }

    it("to a count without the waiting entries that were read, whatever times these have", async () => {
      await begin();
      const same = { date, queueId: front, status: "WAITING", priority: false, workMinutes: 5 };
      const times = { startedAt: 1, completedAt: 51, key: null, appointmentId: null };
      for (const [at, tokenNumber] of [6, 9, 11].entries()) {
        const which = at + 1;
        await sendEntry({ ...same, ...times, which, sequenceInDay: which, tokenNumber } as never);
      }
      await expectCounts();
    });

    it("to writes, counts, lists and removals", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(drawnEntry, { minLength: 1, maxLength: 40, size: "max" }),
          fc.array(drawnPart, { minLength: 12, maxLength: 12 }),
          fc.integer({ min: 1, max: 20 }),
          async (entries, parts, below) => {
            await begin();
            for (const entry of entries) await sendEntry(entry);
            await storeOthers();
            await expectCounts();
            await expectLists(parts);
            for (const table of expiring) {
              const limit = table === "sessions" || table === "windows" ? 4 : 1_000; // of the others, several may end at one time
              await both(({ removeExpired }) => removeExpired(table, below, limit));
              await both(({ removeExpired }) => removeExpired(table, below, limit));
            }
            await expectLists(parts);
            for (const table of ["appointments", "sessions", "audit", "entries"] as const) {
              await both(({ removeOfBusiness }) => removeOfBusiness(table, "nobody", 1_000));
              await both(({ removeOfBusiness }) => removeOfBusiness(table, businessId, 5));
              await both(({ removeOfBusiness }) => removeOfBusiness(table, businessId, 1_000));
            }
            await expectLists(parts);
          },
        ),
        // To make a failing case smaller takes longer on MongoDB than the test may.
        { numRuns: 15, endOnFailure: process.env.TEST_STORE === "mongo" },
      );
    });
  },
);

/** The value of a field, or a higher one if it is a number. */
function nextTo(record: Stored<TableName>, field: string, further: number): Value {
  const value = (record as unknown as Record<string, Value>)[field] as Value;
  return typeof value === "number" ? value + further : value;
}
