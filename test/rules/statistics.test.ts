import { describe, expect, test } from "vitest";
import { type EntryTimes, noStatistics, reportOf } from "../../server/src/rules/statistics.js";

const minute = 60_000;
const hour = 60 * minute;

async function* inSteps(...steps: EntryTimes[][]): AsyncIterable<readonly EntryTimes[]> {
  yield* steps;
}

function came(at: string | number, changes: Partial<EntryTimes> = {}): EntryTimes {
  const issuedAt = typeof at === "number" ? at : Date.parse(at);
  return {
    queueId: "front",
    serviceId: null,
    date: "2026-11-21",
    status: "WAITING",
    issuedAt,
    startedAt: null,
    completedAt: null,
    ...changes,
  };
}

const waited = (minutes: number) =>
  came(0, { status: "COMPLETED", startedAt: Math.round(minutes * minute) });

async function waitsOf(...minutes: number[]) {
  return (await reportOf(inSteps(minutes.map(waited)), null)).total.waits;
}

describe("the service time", () => {
  const served = (minutes: number, serviceId: string | null, date = "1970-01-01") =>
    came(0, {
      date,
      status: "COMPLETED",
      serviceId,
      startedAt: 5 * minute,
      completedAt: (5 + minutes) * minute,
    });

  test("covers completed entries, in total and by service", async () => {
    const all = [served(4, "tooth"), served(8, "tooth"), served(30, null)];
    const open = came(0, { status: "IN_SERVICE", serviceId: "tooth", startedAt: minute });
    const { total, byService } = await reportOf(inSteps([...all, open]), null);
    expect(total.serviceTimes).toEqual({ people: 3, median: 8, ninetieth: 30, longest: 30 });
    expect(byService.get("tooth")?.serviceTimes).toMatchObject({
      people: 2,
      median: 4,
      longest: 8,
    });
    expect(byService.get("tooth")?.arrivals).toBe(3);
    expect(byService.get(null)?.serviceTimes.median).toBe(30);
  });

  test("leaves out who was ended on another day of the business, because they were forgotten", async () => {
    const all = [served(48 * 60, null), served(30, null, "1969-12-31"), served(4, null)];
    const serviceTimes = async (timezone: string | null) =>
      (await reportOf(inSteps(all), timezone)).total.serviceTimes;
    expect(await serviceTimes(null)).toMatchObject({ people: 1, longest: 4 });
    expect(await serviceTimes("America/New_York")).toMatchObject({ people: 1, longest: 30 });
  });
});

const hoursOf = async (timezone: string | null, ...times: string[]) => {
  const { total } = await reportOf(inSteps(times.map((time) => came(time))), timezone);
  return Object.fromEntries(
    total.arrivalsByHour.flatMap((count, hour) => (count > 0 ? [[hour, count]] : [])),
  );
};

test("arrivals by hour use the local time of the business", async () => {
  const times = ["2026-11-21T04:29:59Z", "2026-11-21T04:30:00Z", "2026-11-20T18:30:00Z"];
  expect(await hoursOf("Asia/Kolkata", ...times)).toEqual({ 9: 1, 10: 1, 0: 1 });
  expect(await hoursOf(null, ...times)).toEqual({ 4: 2, 18: 1 });
  expect(await hoursOf("Asia/Kathmandu", "2026-11-21T04:14:59Z", "2026-11-21T04:15:00Z")).toEqual({
    9: 1,
    10: 1,
  });
});

describe("waits", () => {
  test.each([
    [[], { people: 0, median: null, ninetieth: null, longest: null }],
    [[7], { people: 1, median: 7, ninetieth: 7, longest: 7 }],
    [[1, 2, 3, 4], { people: 4, median: 2, ninetieth: 4, longest: 4 }],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { people: 10, median: 5, ninetieth: 9, longest: 10 }],
    [[0.4, 0.5, 2.6], { people: 3, median: 1, ninetieth: 3, longest: 3 }],
  ])(
    "of %j minutes have percentiles by nearest rank, rounded to the minute",
    async (minutes, expected) => {
      expect(await waitsOf(...minutes)).toEqual(expected);
    },
  );

  test("longer than a day count as a day, and negative waits count as zero", async () => {
    expect(await waitsOf(3 * 24 * 60, -5)).toMatchObject({ median: 0, longest: 1_440 });
  });
});

describe("a report", () => {
  test("has the total, each day and each queue, in any order of entries", async () => {
    const entries = [
      came(1 * hour, { status: "COMPLETED", startedAt: 1 * hour + 5 * minute }),
      came(2 * hour, { status: "NO_SHOW", queueId: "back" }),
      came(3 * hour, { status: "CANCELED", date: "2026-11-22" }),
      came(4 * hour, { status: "IN_SERVICE", date: "2026-11-22", startedAt: 4 * hour }),
      came(4 * hour, { queueId: "back" }),
    ];
    const report = await reportOf(inSteps(entries), null);
    expect(report.total).toMatchObject({
      arrivals: 5,
      served: 1,
      noShows: 1,
      canceled: 1,
      open: 2,
      waits: { people: 2, median: 0, longest: 5 },
    });
    expect(report.byDay.get("2026-11-21")).toMatchObject({ arrivals: 3, served: 1, open: 1 });
    expect(report.byDay.get("2026-11-22")).toMatchObject({ arrivals: 2, canceled: 1, open: 1 });
    expect(report.byQueue.get("front")).toMatchObject({ arrivals: 3, noShows: 0 });
    expect(report.byQueue.get("back")).toMatchObject({ arrivals: 2, noShows: 1 });
    const [first = [], ...rest] = entries.map((entry) => [entry]);
    expect(await reportOf(inSteps(first, [], ...rest), null)).toEqual(report);
  });

  test("without entries is empty", async () => {
    const report = await reportOf(inSteps(), "Asia/Kolkata");
    const parts = { byDay: new Map(), byQueue: new Map(), byService: new Map() };
    expect(report).toEqual({ total: noStatistics, ...parts });
    expect(noStatistics).toMatchObject({ arrivals: 0, served: 0, open: 0 });
    expect(noStatistics.arrivalsByHour).toEqual(Array(24).fill(0));
  });
});
