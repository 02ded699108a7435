import { describe, expect, test } from "vitest";
import { type Asked, Reports } from "../../server/src/dashboard/statistics/reports.js";
import type { Business } from "../../server/src/rules/records.js";
import type { EntryTimes } from "../../server/src/rules/statistics.js";
import type { Store } from "../../server/src/store/store.js";
import { clinic, salon } from "../store/support/records.js";
import { gate } from "../support/gate.js";
import { testService, withInside } from "../support/service.js";
import { signedInVisitor } from "./support/visitor.js";

const entry: EntryTimes = {
  ...{ queueId: "front", date: "2026-11-20", status: "COMPLETED" },
  ...{ serviceId: null, issuedAt: 0, startedAt: 60_000, completedAt: null },
  ...{ transferredTo: null, transferredFrom: null },
};

const day = (first: string, queueId: string | null = null): Asked => ({
  days: { first, last: "2026-11-21" },
  queueId,
});

/** A store whose reads wait at a gate, part by part, and are counted. */
function slowStore() {
  const pieces = gate();
  const counts = { begun: 0, pieces: 0 };
  const entryTimes: Store["statistics"]["entryTimes"] = async (_business, _days, _queue, after) => {
    if (after === null) counts.begun++;
    await pieces.pass();
    counts.pieces++;
    const piece = Number(after) + 1;
    return { items: [entry], next: piece < 3 ? `${piece}` : null };
  };
  pieces.close();
  return { reports: new Reports({ statistics: { entryTimes } }), pieces, counts };
}

/** A client that waits for a report and can disconnect. */
function reader(reports: Reports, business: Business, query: Asked) {
  const controller = new AbortController();
  const report = reports.read(business, query, controller.signal).then(
    ({ total }) => total.arrivals as number | string,
    (error: Error) => (error === controller.signal.reason ? "gone" : error.name),
  );
  return { report, leave: () => controller.abort(new Error("gone")) };
}

describe("reports of the same days", () => {
  test("are computed once for all waiting clients, and again for later ones", async () => {
    const { reports, pieces, counts } = slowStore();
    const query = day("2026-11-01");
    const readers = Array.from({ length: 50 }, () => reader(reports, clinic, query));
    await pieces.reached(1);
    pieces.open();
    for (const { report } of readers) expect(await report).toBe(3);
    expect(counts.begun).toBe(1);
    expect(await reader(reports, clinic, query).report).toBe(3);
    expect(counts.begun).toBe(2);
  });

  test("are separate for each business and each queue", async () => {
    const { reports, pieces, counts } = slowStore();
    const readers = [
      reader(reports, clinic, day("2026-11-01")),
      reader(reports, salon, day("2026-11-01")),
      reader(reports, clinic, day("2026-11-01", "front")),
    ];
    pieces.open();
    for (const { report } of readers) await report;
    expect(counts.begun).toBe(3);
  });
});

describe("a report whose clients disconnect", () => {
  test("continues for the remaining clients", async () => {
    const { reports, pieces, counts } = slowStore();
    const [one, other] = [1, 2].map(() => reader(reports, clinic, day("2026-11-01")));
    await pieces.reached(1);
    one?.leave();
    expect(await one?.report).toBe("gone");
    pieces.open();
    expect(await other?.report).toBe(3);
    expect(counts.begun).toBe(1);
  });

  test("stops when the last client has disconnected, and frees its place", async () => {
    const { reports, pieces, counts } = slowStore();
    const query = day("2026-11-01");
    const left = reader(reports, clinic, query);
    await pieces.reached(1);
    left.leave();
    expect(await left.report).toBe("gone");
    pieces.open();
    expect(await reader(reports, clinic, query).report).toBe(3);
    expect(counts).toEqual({ begun: 2, pieces: 4 });
  });

  test("never starts if it still waits for its turn", async () => {
    const { reports, pieces, counts } = slowStore();
    const first = reader(reports, clinic, day("2026-11-01"));
    const second = reader(reports, clinic, day("2026-11-02"));
    await pieces.reached(1);
    second.leave();
    expect(await second.report).toBe("gone");
    pieces.open();
    await first.report;
    expect(counts.begun).toBe(1);
  });
});

describe("concurrent reports", () => {
  const business = (number: number): Business => ({ ...clinic, id: `business${number}` });

  test("are computed one at a time per business, and two at a time in total", async () => {
    const { reports, pieces, counts } = slowStore();
    const mine = ["01", "02", "03"].map((date) => reader(reports, clinic, day(`2026-11-${date}`)));
    const others = [1, 2].map((number) => reader(reports, business(number), day("2026-11-01")));
    await pieces.reached(2);
    expect(counts.begun).toBe(2);
    pieces.open();
    for (const { report } of [...mine, ...others]) expect(await report).toBe(3);
    expect(counts.begun).toBe(5);
  });

  test("are refused for a business with four waiting, without delaying others", async () => {
    const { reports, pieces } = slowStore();
    const dates = Array.from({ length: 6 }, (_, n) => `2026-11-0${n + 1}`);
    const mine = dates.map((date) => reader(reports, clinic, day(date)));
    expect(await mine[5]?.report).toBe("QueueFullError");
    const other = reader(reports, salon, day("2026-11-01"));
    await pieces.reached(2);
    pieces.open();
    expect(await other.report).toBe(3);
    for (const { report } of mine.slice(0, 5)) expect(await report).toBe(3);
  });

  test("are refused when twenty businesses wait", async () => {
    const { reports, pieces } = slowStore();
    const all = Array.from({ length: 23 }, (_, n) =>
      reader(reports, business(n), day("2026-11-01")),
    );
    expect(await all[22]?.report).toBe("QueueFullError");
    pieces.open();
    for (const { report } of all.slice(0, 22)) expect(await report).toBe(3);
    expect(await reader(reports, clinic, day("2026-11-01")).report).toBe(3);
  });

  test("that fail reject for each client, and the next one is computed again", async () => {
    let broken = true;
    const entryTimes: Store["statistics"]["entryTimes"] = async () => {
      if (broken) throw new TypeError("disk I/O error");
      return { items: [entry], next: null };
    };
    const reports = new Reports({ statistics: { entryTimes } });
    const readers = [1, 2].map(() => reader(reports, clinic, day("2026-11-01")));
    for (const { report } of readers) expect(await report).toBe("TypeError");
    broken = false;
    expect(await reader(reports, clinic, day("2026-11-01")).report).toBe(1);
  });
});

describe("the statistics page", async () => {
  const pieces = gate();
  const service = await testService({
    interpose: (store) => ({
      statistics: {
        entryTimes: async (...query) => {
          await pieces.pass();
          return store.statistics.entryTimes(...query);
        },
      },
    }),
  });

  test(
    "shows when to try again if too many wait, and drops clients that disconnected",
    withInside(service, async () => {
      const visitor = await signedInVisitor(service, await service.clinic());
      const page = (number: number) => `/dashboard/statistics?from=2026-11-0${number}`;
      const Cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const controller = new AbortController();
      pieces.close();
      const responses = [1, 2, 3, 4, 5, 6].map((number) =>
        fetch(service.url + page(number), { headers: { Cookie }, signal: controller.signal }),
      );
      const busy = await Promise.race(responses);
      expect(busy.status).toBe(503);
      expect(busy.headers.get("Retry-After")).toBe("5");
      expect(await busy.text()).toContain("try again in a moment");
      controller.abort();
      const outcomes = await Promise.allSettled(responses);
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(5);
      pieces.open();
      let answer = await visitor.get(page(6));
      while (answer.status === 503) answer = await visitor.get(page(6));
      expect(answer.status).toBe(200);
    }),
  );
});
