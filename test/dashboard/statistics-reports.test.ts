import { describe, expect, test } from "vitest";
import { Reports } from "../../server/src/dashboard/statistics/reports.js";
import type { EntryTimes } from "../../server/src/rules/statistics.js";
import type { Store } from "../../server/src/store/store.js";
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
  return (first = "2026-11-01", business = clinic, queueId: string | null = null) => {
    const controller = new AbortController();
    const asked = { days: { first, last: "2026-11-21" }, queueId };
    const report = reports.read(business, asked, controller.signal).then(
      ({ total }) => total.arrivals as number | string,
      (error: Error) => (error === controller.signal.reason ? "gone" : error.name),
    );
    return { report, leave: () => controller.abort(new Error("gone")) };
  };
}

const all = (clients: readonly { report: Promise<unknown> }[]) =>
  Promise.all(clients.map(({ report }) => report));

describe("reports of the same days", () => {
  test("are computed once for all waiting clients, and again for later ones", async () => {
    const { read, pieces, counts } = slowReports();
    const clients = Array.from({ length: 50 }, () => read());
    await pieces.reached(1);
    pieces.open();
    expect(await all(clients)).toEqual(Array(50).fill(3));
    expect(counts.begun).toBe(1);
    expect(await read().report).toBe(3);
    expect(counts.begun).toBe(2);
  });

  test("are separate for each business and each queue", async () => {
    const { read, pieces, counts } = slowReports();
    const clients = [read(), read("2026-11-01", salon), read("2026-11-01", clinic, "front")];
    pieces.open();
    await all(clients);
    expect(counts.begun).toBe(3);
  });
});

describe("a report whose clients disconnect", () => {
  test("continues for the remaining clients", async () => {
    const { read, pieces, counts } = slowReports();
    const [one, other] = [read(), read()];
    await pieces.reached(1);
    one.leave();
    expect(await one.report).toBe("gone");
    pieces.open();
    expect(await other.report).toBe(3);
    expect(counts.begun).toBe(1);
  });

  test("stops when the last client has disconnected, and frees its place", async () => {
    const { read, pieces, counts } = slowReports();
    const left = read();
    await pieces.reached(1);
    left.leave();
    expect(await left.report).toBe("gone");
    pieces.open();
    expect(await read().report).toBe(3);
    expect(counts).toEqual({ begun: 2, pieces: 4 });
  });

  test("never starts if it still waits for its turn", async () => {
    const { read, pieces, counts } = slowReports();
    const [first, second] = [read(), read("2026-11-02")];
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
  const days = (count: number) => Array.from({ length: count }, (_, n) => `2026-11-0${n + 1}`);

  test("are computed one at a time per business, and two at a time in total", async () => {
    const { read, pieces, counts } = slowReports();
    const mine = days(3).map((first) => read(first));
    const others = [1, 2].map((number) => read("2026-11-01", business(number)));
    await pieces.reached(2);
    expect(counts.begun).toBe(2);
    pieces.open();
    expect(await all([...mine, ...others])).toEqual(Array(5).fill(3));
    expect(counts.begun).toBe(5);
  });

  test("are refused for a business with four waiting, without delaying others", async () => {
    const { read, pieces } = slowReports();
    const mine = days(6).map((first) => read(first));
    expect(await mine.pop()?.report).toBe("QueueFullError");
    const other = read("2026-11-01", salon);
    await pieces.reached(2);
    pieces.open();
    expect(await all([...mine, other])).toEqual(Array(6).fill(3));
  });

  test("are refused when twenty businesses wait", async () => {
    const { read, pieces } = slowReports();
    const clients = Array.from({ length: 23 }, (_, n) => read("2026-11-01", business(n)));
    expect(await clients.pop()?.report).toBe("QueueFullError");
    pieces.open();
    expect(await all(clients)).toEqual(Array(22).fill(3));
    expect(await read().report).toBe(3);
  });

  test("that fail reject for each client, and the next one is computed again", async () => {
    let broken = true;
    const read = readers(async () => {
      if (broken) throw new TypeError("disk I/O error");
      return { items: [entry], next: null };
    });
    expect(await all([read(), read()])).toEqual(["TypeError", "TypeError"]);
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
