import { describe, expect, test } from "vitest";
import { Reports } from "../../server/src/dashboard/statistics/reports.js";
import type { Store } from "../../server/src/operations/store.js";
import type { EntryTimes } from "../../server/src/rules/statistics.js";
import { clinic, salon } from "../store/support/records.js";
import { gate } from "../support/gate.js";
import { testService } from "../support/service.js";
import { ownedClinic } from "./support/quick-sign-in.js";

const entry: EntryTimes = {
  ...{ queueId: "front", date: "2026-11-20", status: "COMPLETED" },
  ...{ serviceId: null, issuedAt: 0, startedAt: 60_000, completedAt: null },
  ...{ transferredTo: null, transferredFrom: null },
};

/** Clients of reports from a store whose reads wait at a gate, part by part, and are counted. */
function slowReports() {
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
  return { read: readers(entryTimes), pieces, counts };
}

/** A function that starts a client, which waits for a report and can disconnect. */
function readers(entryTimes: Store["statistics"]["entryTimes"]) {
  const reports = new Reports({ statistics: { entryTimes } });
  return (business = clinic) => {
    const controller = new AbortController();
    const asked = { days: { first: "2026-11-01", last: "2026-11-21" }, queueId: null };
    const report = reports.read(business, asked, controller.signal).then(
      ({ total }) => total.arrivals as number | string,
      (error: Error) => (error === controller.signal.reason ? "gone" : error.name),
    );
    return { report, leave: () => controller.abort(new Error("gone")) };
  };
}

const all = (clients: readonly { report: Promise<unknown> }[]) =>
  Promise.all(clients.map(({ report }) => report));

describe("a report whose client disconnects", () => {
  test("stops, and frees its place", async () => {
    const { read, pieces, counts } = slowReports();
    const left = read();
    await pieces.reached(1);
    left.leave();
    const next = read();
    pieces.open();
    expect(await all([left, next])).toEqual(["gone", 3]);
    expect(counts).toEqual({ begun: 2, pieces: 4 });
  });

  test("never starts if it still waits for its turn", async () => {
    const { read, pieces, counts } = slowReports();
    const [first, second] = [read(), read()];
    await pieces.reached(1);
    second.leave();
    expect(await second.report).toBe("gone");
    pieces.open();
    await first.report;
    expect(counts.begun).toBe(1);
  });
});

describe("concurrent reports", () => {
  const business = (number: number) => ({ ...clinic, id: `business${number}` });

  test("are computed one at a time per business, and two at a time in total", async () => {
    const { read, pieces, counts } = slowReports();
    const mine = [1, 2, 3].map(() => read());
    const others = [1, 2].map((number) => read(business(number)));
    await pieces.reached(2);
    expect(counts.begun).toBe(2);
    pieces.open();
    expect(await all([...mine, ...others])).toEqual(Array(5).fill(3));
    expect(counts.begun).toBe(5);
  });

  test("are refused for a business with four waiting, without delaying others", async () => {
    const { read, pieces } = slowReports();
    const mine = [1, 2, 3, 4, 5, 6].map(() => read());
    expect(await mine.pop()?.report).toBe("QueueFullError");
    const other = read(salon);
    await pieces.reached(2);
    pieces.open();
    expect(await all([...mine, other])).toEqual(Array(6).fill(3));
  });

  test("are refused when twenty businesses wait", async () => {
    const { read, pieces } = slowReports();
    const clients = Array.from({ length: 23 }, (_, n) => read(business(n)));
    expect(await clients.pop()?.report).toBe("QueueFullError");
    pieces.open();
    expect(await all(clients)).toEqual(Array(22).fill(3));
    expect(await read().report).toBe(3);
  });

  test("that fail leave room for the next one", async () => {
    let broken = true;
    const read = readers(async () => {
      if (broken) throw new TypeError("disk I/O error");
      return { items: [entry], next: null };
    });
    expect(await read().report).toBe("TypeError");
    broken = false;
    expect(await read().report).toBe(1);
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

  test("shows when to try again if too many wait, and drops clients that disconnected", async () => {
    const { visitor } = await ownedClinic(service);
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
  });
});
