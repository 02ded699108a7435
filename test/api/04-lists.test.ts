import { entryStatuses } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import { expectStatus, expectWrong } from "../support/expect.js";
import { type EntrySeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();

function entries(count: number, of: (index: number) => EntrySeed = () => ({})): EntrySeed[] {
  return Array.from({ length: count }, (_, index) => ({ ref: `e${index + 1}`, ...of(index) }));
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

function front(seeds: readonly EntrySeed[]) {
  return { queues: [{ ref: "front", name: "Front desk", entries: seeds }], keys: [wideKey] };
}

type Page<Item> = (query: Record<string, string | number>) => Promise<Answer<Item[]>>;

/** Reads all pages of a list. */
async function everyPage<Item>(page: Page<Item>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const answer: Answer<Item[]> = await page({ limit, ...(cursor && { cursor }) });
    expectStatus(answer, 200);
    items.push(...answer.data);
    cursor = answer.nextCursor;
    if (cursor) expect(answer.data).toHaveLength(limit);
  } while (cursor !== null);
  return items;
}

describe("a day's entries", () => {
  test("are in token order, regardless of status and priority", async () => {
    const clinic = await service.clinic(
      front(
        entries(12, (i) => ({
          status: entryStatuses[i % entryStatuses.length] ?? "WAITING",
          priority: i % 4 === 0,
          minutesAgo: 60,
        })),
      ),
    );
    const { data } = await clinic.client().entries(clinic.queue());
    expect(data.map(({ tokenNumber }) => tokenNumber)).toEqual(numbersTo(12));
  });

  test("belong to one queue", async () => {
    const clinic = await service.clinic({
      queues: [
        { ref: "front", name: "Front desk", entries: entries(2) },
        { ref: "lab", name: "Lab", tokenSeries: "L", entries: [{ ref: "lab1" }] },
      ],
    });
    const listed = (await clinic.client().entries(clinic.queue("lab"))).data;
    expect(listed.map(({ id, token }) => [id, token])).toEqual([[clinic.entry("lab1"), "L1"]]);
  });

  test.each(entryStatuses)("can be filtered by the status %s", async (status) => {
    const clinic = await service.clinic(
      front(entryStatuses.map((status) => ({ ref: status, status, minutesAgo: 60 }))),
    );
    const { data } = await clinic.client().entries(clinic.queue(), { status });
    expect(data.map(({ id }) => id)).toEqual([clinic.entry(status)]);
  });

  test("can be read for any day, today by default", async () => {
    const clinic = await service.clinic(
      front([
        { ref: "yesterday", date: "today-1" },
        { ref: "today" },
        { ref: "tomorrow", date: "today+1" },
      ]),
    );
    const client = clinic.client();
    const today = (await client.queue(clinic.queue())).data.date;
    const day = (offset: number) =>
      new Date(Date.parse(today) + offset * 86_400_000).toISOString().slice(0, 10);
    const listed = async (query = {}) =>
      (await client.entries(clinic.queue(), query)).data.map(({ id }) => id);

    expect(await listed()).toEqual([clinic.entry("today")]);
    expect(await listed({ date: today })).toEqual([clinic.entry("today")]);
    expect(await listed({ date: day(-1) })).toEqual([clinic.entry("yesterday")]);
    expect(await listed({ date: day(1) })).toEqual([clinic.entry("tomorrow")]);
    expect(await listed({ date: "1999-12-31" })).toEqual([]);
    expect((await client.queue(clinic.queue(), { date: day(-1) })).data).toMatchObject({
      date: day(-1),
      counts: { waiting: 1 },
    });
  });
});

describe("pages", () => {
  test("have 50 items by default, and nextCursor is null on the last page", async () => {
    const appointments = Array.from({ length: 51 }, () => ({ slotTime: "09:00" }));
    const clinic = await service.clinic({ ...front(entries(51)), appointments });
    for (const page of [
      (query = {}) => clinic.client().entries(clinic.queue(), query),
      (query = {}) => clinic.client().appointments(query),
    ]) {
      const first = await page();
      expect(first.data).toHaveLength(50);
      expect((await page({ limit: 100 })).data).toHaveLength(51);
      const second = await page({ cursor: first.nextCursor ?? "" });
      expect([second.data.length, second.nextCursor]).toEqual([1, null]);
    }
    const full = await service.clinic(front(entries(50)));
    const only = await full.client().entries(full.queue());
    expect([only.data.length, only.nextCursor]).toEqual([50, null]);
  });

  test.each([1, 7, 23])("of %i items add up to the whole list", async (limit) => {
    const clinic = await service.clinic(front(entries(23)));
    const joined = await everyPage(
      (query) => clinic.client().entries(clinic.queue(), query),
      limit,
    );
    expect(joined.map(({ tokenNumber }) => tokenNumber)).toEqual(numbersTo(23));
  });
});

describe("cursors", () => {
  test("a cursor that the service did not issue is refused", async () => {
    const clinic = await service.clinic(front(entries(3)));
    const cursor = "a".repeat(24);
    expectWrong(await clinic.client().entries(clinic.queue(), { cursor }), "cursor");
    expectWrong(await clinic.client().appointments({ cursor }), "cursor");
  });

  test("a cursor of another queue, day, business or list is refused", async () => {
    const seeds = {
      queues: [
        { ref: "front", name: "Front desk", entries: entries(3) },
        { ref: "lab", name: "Lab", entries: [{ date: "today-1" }, { date: "today-1" }] },
      ],
      appointments: [{ slotTime: "09:00" }, { slotTime: "09:15" }],
    };
    const [clinic, other] = [await service.clinic(seeds), await service.clinic(seeds)];
    const client = clinic.client();
    const today = (await client.queue(clinic.queue())).data.date;
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    const next = async (answer: Promise<Answer>) => (await answer).nextCursor ?? "no further page";
    const own = await next(client.entries(clinic.queue(), { limit: 1 }));
    const ofLab = await next(client.entries(clinic.queue("lab"), { date: yesterday, limit: 1 }));
    const foreign = [
      ofLab,
      await next(other.client().entries(other.queue(), { limit: 1 })),
      await next(client.appointments({ limit: 1 })),
    ];

    expectStatus(await client.entries(clinic.queue(), { cursor: own }), 200);
    expectWrong(await client.entries(clinic.queue(), { cursor: own, date: yesterday }), "cursor");
    expectWrong(
      await client.entries(clinic.queue("lab"), { cursor: ofLab, date: today }),
      "cursor",
    );
    expectWrong(await client.appointments({ cursor: own }), "cursor");
    for (const cursor of foreign) {
      expectWrong(await client.entries(clinic.queue(), { cursor }), "cursor");
    }
    const visits = await next(client.appointments({ limit: 1 }));
    expectStatus(await client.appointments({ cursor: visits }), 200);
    expectWrong(await client.appointments({ cursor: visits, date: "2030-01-31" }), "cursor");
    const theirs = await next(other.client().appointments({ limit: 1 }));
    expectWrong(await client.appointments({ cursor: theirs }), "cursor");
  });

  test.each([
    ["yesterday", "today-1", -1],
    ["tomorrow", "today+1", 1],
  ])("without date, a cursor of %s goes on with its day", async (_day, seeded, days) => {
    const appointments = ["09:00", "09:15"].map((slotTime) => ({ date: seeded, slotTime }));
    const clinic = await service.clinic({ ...front([]), appointments });
    const client = clinic.client();
    const today = Date.parse((await client.queue(clinic.queue())).data.date);
    const date = new Date(today + days * 86_400_000).toISOString().slice(0, 10);
    const whole = await client.appointments({ date });
    expect(whole.data).toHaveLength(2);
    const first = await client.appointments({ date, limit: 1 });
    const rest = await client.appointments({ cursor: first.nextCursor ?? "" });
    expect([...first.data, ...rest.data]).toEqual(whole.data);
  });
});

describe("a day's appointments", () => {
  const slots = ["16:00", "09:00", "12:30", "09:00", "08:45"];
  const appointments = slots.map((slotTime, i) => ({ ref: `a${i}`, slotTime }));

  test("are ordered by time slot, then by id", async () => {
    const clinic = await service.clinic({ appointments });
    const { data } = await clinic.client().appointments();
    const listed = data.map(({ slotTime }) => slotTime).join(" ");
    expect(listed).toBe("08:45 09:00 09:00 12:30 16:00");
    const atNine = data.slice(1, 3).map(({ id }) => id);
    expect(atNine).toEqual([...atNine].sort());
  });

  test.each([2, 5])("add up to the whole list in pages of %i", async (limit) => {
    const clinic = await service.clinic({ appointments });
    const whole = (await clinic.client().appointments()).data;
    const joined = await everyPage((query) => clinic.client().appointments(query), limit);
    expect(joined).toEqual(whole);
    expect(joined).toHaveLength(5);
  });
});
