import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LineGroup, WaitingEntry } from "../../server/src/rules/day-counts.js";
import type { EarlierPlace } from "../../server/src/rules/records.js";
import type { Adapter, Value, Write } from "../../server/src/store/port.js";
import type { EntryRecord } from "../../server/src/store/tables.js";
import { testedAdapters, unique } from "./support/adapters.js";
import { entryOf, id, today, tomorrow } from "./support/records.js";

/** What is drawn of an entry. Everything else is the same for all. */
interface Drawn {
  readonly queue: string;
  readonly leftQueue: string | null;
  readonly date: string;
  readonly status: EntryRecord["status"];
  readonly priority: boolean;
  readonly workMinutes: number | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

const queue = fc.constantFrom("front", "back", "room");
const drawn: fc.Arbitrary<Drawn> = fc.record({
  queue,
  leftQueue: fc.option(queue),
  date: fc.constantFrom(today, tomorrow),
  status: fc.constantFrom("WAITING", "WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"),
  priority: fc.boolean(),
  workMinutes: fc.constantFrom(null, 0, 5, 20),
  startedAt: fc.option(fc.integer({ min: 1, max: 50 })),
  completedAt: fc.option(fc.integer({ min: 51, max: 99 })),
});

/** Entries of one business. Numbers and places are those of the order in which they were drawn. */
function entriesOf(business: string, people: readonly Drawn[]): EntryRecord[] {
  return people.map(({ queue, leftQueue, ...rest }, at) => {
    const own = { id: id(`${business}${at}`), businessId: business, queueId: id(queue) };
    const earlierPlaces = leftQueue === null ? [] : [placeOf(id(leftQueue), 500 + at)];
    return entryOf(at + 1, { ...own, ...rest, earlierPlaces, changedAt: 1_000 - at });
  });
}

function placeOf(queueId: string, tokenNumber: number): EarlierPlace {
  const left = { startedAt: null, calls: 0, counter: null, leftAtRevision: 1 };
  return { queueId, tokenSeries: "L", tokenNumber, status: "WAITING", ...left };
}

const waits = (entry: EntryRecord) => entry.status === "WAITING";
const finishedMs = ({ startedAt, completedAt }: EntryRecord) =>
  startedAt === null || completedAt === null ? 0 : completedAt - startedAt;

/** Those who wait, those with priority first, then by number. */
function lineOf(entries: readonly EntryRecord[]): WaitingEntry[] {
  return entries
    .filter(waits)
    .sort((a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber)
    .map(({ id, queueId, priority, tokenNumber, workMinutes }) => {
      return { id, queueId, priority, tokenNumber, workMinutes };
    });
}

/** The groups in an order that does not depend on the adapter. */
const sorted = (groups: readonly LineGroup[]) =>
  groups.map((group) => JSON.stringify(ordered(group))).sort();
const ordered = (group: object) => Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1));

function groupsOf(entries: readonly EntryRecord[], before: number): LineGroup[] {
  const groups = new Map<string, LineGroup>();
  for (const entry of entries) {
    const { queueId, status, priority, workMinutes, tokenNumber } = entry;
    const of = { queueId, status, priority, workMinutes, isBefore: tokenNumber < before };
    const known = groups.get(JSON.stringify(of)) ?? { ...of, entries: 0, finishedMs: 0 };
    groups.set(JSON.stringify(of), {
      ...known,
      entries: known.entries + 1,
      finishedMs: known.finishedMs + finishedMs(entry),
    });
  }
  return [...groups.values()];
}

describe.each(await testedAdapters())("the $name adapter", ({ database }) => {
  let adapter: Adapter;

  beforeAll(async () => {
    adapter = await (await database()).open();
  });
  afterAll(() => adapter.close());

  /** Stores entries, then moves them to the queues that were drawn last, and changes the rest. */
  async function stored(business: string, first: readonly Drawn[], last: readonly Drawn[]) {
    const entries = entriesOf(business, first);
    await adapter.append("entries", entries);
    return Promise.all(entries.map((entry, at) => changed(entry, last[at])));
  }

  async function changed(entry: EntryRecord, drawn: Drawn | undefined): Promise<EntryRecord> {
    if (!drawn) return entry;
    const { queue, leftQueue, date, ...rest } = drawn;
    const place = placeOf(entry.queueId, entry.tokenNumber);
    const move = id(queue) !== entry.queueId && {
      ...{ queueId: id(queue), tokenNumber: entry.tokenNumber + 100 },
      earlierPlaces: [place, ...entry.earlierPlaces],
    };
    const { tokens, uses, ...own } = entry;
    const record = entryOf(0, { ...own, ...rest, ...move });
    const before = await adapter.find("entries", { id: entry.id });
    const write = { kind: "update", table: "entries", before, record, audit: null };
    expect(await adapter.send(write as unknown as Write)).toBe("done");
    return record;
  }

  it("counts what the entries of a day say", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { maxLength: 12 }),
        fc.array(drawn, { maxLength: 12 }),
        fc.integer({ min: 1, max: 115 }),
        async (first, last, before) => {
          const businessId = unique("b");
          const entries = await stored(businessId, first, last);
          for (const date of [today, tomorrow]) {
            const ofDay = entries.filter((entry) => entry.date === date);
            const queueIds = [undefined, id("front"), id("back")];
            for (const queueId of queueIds) {
              const day = { businessId, date, ...(queueId !== undefined && { queueId }) };
              const own = ofDay.filter((one) => queueId === undefined || one.queueId === queueId);
              const all = Number.POSITIVE_INFINITY;
              expect(sorted(await adapter.count(day))).toEqual(sorted(groupsOf(own, all)));
              expect(sorted(await adapter.count(day, before))).toEqual(
                sorted(groupsOf(own, before)),
              );

              const line = await adapter.line(day);
              expect(line).toHaveLength(own.filter(waits).length);
              for (const queueId of [id("front"), id("back"), id("room")]) {
                const ofQueue = line.filter((one) => one.queueId === queueId);
                expect(ofQueue).toEqual(lineOf(own.filter((one) => one.queueId === queueId)));
                const first = await adapter.line({ businessId, date, queueId }, 1);
                if (day.queueId === undefined) expect(first).toEqual(ofQueue.slice(0, 1));
              }
            }

            const queueId = id("front");
            const numbers = ofDay
              .flatMap((entry) => [entry, ...entry.earlierPlaces])
              .filter((place) => place.queueId === queueId)
              .map(({ tokenNumber }) => tokenNumber);
            expect(await adapter.last({ businessId, date, queueId })).toEqual({
              number: Math.max(0, ...numbers),
              place: Math.max(0, ...ofDay.map(({ placeInDay }) => placeInDay)),
              changedAt: Math.max(0, ...ofDay.map(({ changedAt }) => changedAt)),
            });
          }

          const dates = [today, tomorrow, "2026-11-23"];
          const waiting = (await adapter.waiting(dates)).filter(
            (one) => one.businessId === businessId,
          );
          const expected = dates.flatMap((date) => {
            const own = entries.filter((entry) => entry.date === date).filter(waits);
            const firstIssuedAt = Math.min(...own.map(({ issuedAt }) => issuedAt));
            return own.length === 0
              ? []
              : [{ businessId, date, waiting: own.length, firstIssuedAt }];
          });
          expect(waiting.sort((a, b) => (a.date < b.date ? -1 : 1))).toEqual(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("lists what a filter of all entries leaves, in their order", async () => {
    const businessId = unique("listed");
    const people = fc.sample(drawn, { numRuns: 40, seed: 31 });
    const entries = entriesOf(businessId, people);
    await adapter.append("entries", entries);
    const statuses = fc.uniqueArray(fc.constantFrom("WAITING", "IN_SERVICE", "COMPLETED"), {
      minLength: 1,
    });
    const place = fc.option(fc.integer({ min: 0, max: 42 }), { nil: null });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          date: fc.constantFrom(today, tomorrow),
          queue,
          statuses,
          descending: fc.boolean(),
        }),
        fc.record({ after: place, from: place, to: place, limit: fc.integer({ min: 1, max: 15 }) }),
        async ({ date, queue, statuses, descending }, { after, from, to, limit }) => {
          const where = { businessId, date, queueId: id(queue), status: statuses as Value[] };
          const found = await adapter.list("entries", {
            ...{ where, order: ["tokenNumber"], descending, from, to, limit },
            after: after === null ? null : [after],
          });
          const expected = entries
            .filter((one) => one.date === date && one.queueId === id(queue))
            .filter(({ status }) => statuses.includes(status as never))
            .map(({ tokenNumber }) => tokenNumber)
            .filter((n) => (from === null || n >= from) && (to === null || n <= to))
            .filter((n) => after === null || (descending ? n < after : n > after))
            .sort((a, b) => (descending ? b - a : a - b))
            .slice(0, limit);
          expect(found.map(({ tokenNumber }) => tokenNumber)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });
});
