import { describe, expect, test, vi } from "vitest";
import { Reports } from "../../server/src/dashboard/statistics/reports.js";
import type { Store } from "../../server/src/operations/store.js";
import { clinic } from "../store/support/records.js";
import type { Clinic } from "../support/clinic.js";
import { morning } from "../support/clock.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { type BusinessSeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { linkTo, rowsOf, textOf } from "./support/html.js";
import { cookieHeader, ownedClinic, signedInVisitor } from "./support/visitor.js";

const pieces = gate();
const service = await testService({
  interpose: held("statistics", "entryTimes", { before: pieces }),
});
const { clock } = service;

const twoQueues: BusinessSeed = {
  keys: [wideKey],
  queues: [
    { ref: "front", name: "Front desk" },
    { ref: "lab", name: "Laboratory", tokenSeries: "L" },
  ],
};

/** The page, with its tiles by name. */
async function statisticsOf(clinic: Clinic, query = "") {
  const visitor = await signedInVisitor(service, clinic);
  const { status, body } = await visitor.get(`/dashboard/statistics${query}`);
  const tiles = [...body.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd><\/div>/g)];
  return { status, body, tiles: Object.fromEntries(tiles.map(([, name, value]) => [name, value])) };
}

/** The numbers of a chart's table, by the first cell of each row. */
function numbersOf(body: string, chart: string): Record<string, string[]> {
  const [, figure = ""] =
    new RegExp(`<figure[^>]*aria-labelledby="${chart}-title">(.*?)</figure>`, "s").exec(body) ?? [];
  return Object.fromEntries(rowsOf(figure).map(([name = "", ...cells]) => [name, cells]));
}

describe("statistics of a day", () => {
  test("count arrivals by hour, waits and outcomes, in charts without inline styles or scripts", async () => {
    const clinic = await service.clinic(twoQueues); // at 10:00
    const client = clinic.client();
    const arrive = async (queue = "front") => (await client.create(clinic.queue(queue))).data.id;
    const [first, second, third] = [await arrive(), await arrive(), await arrive()];
    clock.advance({ minutes: 12 });
    await service.owner.serve(first, "call");
    clock.advance({ minutes: 50 });
    await service.owner.serve(second, "call");
    await service.owner.serve(first, "complete");
    await service.owner.serve(third, "no-show");
    await client.cancel(await arrive("lab"));
    const { body, tiles } = await statisticsOf(clinic);
    expect(tiles).toEqual({
      Arrivals: "4",
      Completed: "1",
      "No-shows": "1",
      Canceled: "1",
      "Not ended": "1",
      "Median wait": "12 min",
      "90 % waited at most": "1 h 02",
      "Median service time": "50 min",
    });
    const hours = numbersOf(body, "arrivals");
    expect(Object.keys(hours)).toHaveLength(24);
    expect([hours["09:00"], hours["10:00"], hours["11:00"]]).toEqual([["0"], ["3"], ["1"]]);
    expect(textOf(body)).toContain("Front desk 3 1 1 0 12 62 50 Laboratory 1 0 0 1 – – –");
    expect(body).not.toMatch(/ style=|<style|<script(?! src=)| on\w+=/);

    const lab = await statisticsOf(clinic, `?queue=${clinic.queue("lab")}`);
    expect(lab.tiles).toMatchObject({ Arrivals: "1", Canceled: "1", "Median wait": "–" });
    expect(lab.body).toContain(`<option value="${clinic.queue("lab")}" selected>`);
    clock.set(morning);
  });

  test("explain an empty day, and link to days with data", async () => {
    const { body } = await statisticsOf(await service.clinic());
    expect(textOf(body)).toContain("No tokens were issued today.");
    expect(linkTo(body, "The last four weeks")).toMatch(/\?from=[\d-]{10}&to=[\d-]{10}$/);
    expect(body).not.toContain("<figure");
  });

  test("as a file have the same numbers by day, queue and service", async () => {
    const { clinic, visitor } = await ownedClinic(service, twoQueues);
    const person = { name: "Customer", phone: "919800000001", serviceId: clinic.service() };
    const client = clinic.client();
    const { data: first } = await client.create(clinic.queue(), person);
    for (const end of ["complete", "no-show", "no-show", null] as const) {
      const { data } =
        end === "complete" ? { data: first } : await client.create(clinic.queue("lab"));
      clock.advance({ minutes: 12 });
      if (end) await service.owner.serve(data.id, "call");
      clock.advance({ minutes: 50 });
      if (end) await service.owner.serve(data.id, end);
    }
    for (let n = 0; n < 4; n++) {
      await client.cancel((await client.create(clinic.queue("lab"))).data.id);
    }
    const { body } = await visitor.get("/dashboard/statistics");
    const { body: file, headers } = await visitor.get(linkTo(body, "Download as CSV"));
    expect(headers.get("Content-Disposition")).toMatch(/filename=statistics-.*\.csv/);
    const [head = "", ...rows] = file.trim().replaceAll('"', "").split("\r\n");
    const [total = []] = rows.map((row) => row.split(","));
    expect(Object.fromEntries(head.split(",").map((name, n) => [name, total[n]]))).toMatchObject({
      ...{ arrivals: "8", served: "1", no_shows: "2", canceled: "4", not_ended: "1" },
      ...{ wait_median_minutes: "12", served_median_minutes: "50" },
    });
    expect(rows.map((row) => row.split(",").slice(0, 3).join())).toEqual([
      "total,,8",
      expect.stringMatching(/^day,\d{4}-\d\d-\d\d,8$/),
      ...["queue,Front desk,1", "queue,Laboratory,7"],
      ...["service,Consultation,1", "service,,7"],
    ]);
    expect((await visitor.get("/dashboard/statistics/download?from=nonsense")).status).toBe(422);
  });
});

describe("statistics of several days", () => {
  test("show each day of the business, including days without entries", async () => {
    const entries = (["COMPLETED", "COMPLETED", "NO_SHOW"] as const).map((status) => {
      return { status, date: "today-6", name: "Customer 1" };
    });
    const clinic = await service.clinic({ queues: [{ name: "Front desk", entries }] });
    const { body, tiles } = await statisticsOf(clinic, "?from=2026-11-15&to=2026-11-21");
    expect(tiles).toMatchObject({ Arrivals: "3", Completed: "2", "No-shows": "1" });
    const [ends, waits] = [numbersOf(body, "ends"), numbersOf(body, "waits")];
    expect(Object.keys(ends)).toHaveLength(7);
    const [sunday, monday] = ["Sun, 15 Nov 2026", "Mon, 16 Nov 2026"];
    expect([ends[sunday], waits[sunday]?.[0]]).toEqual([["3", "2", "1", "0", "0"], "2"]);
    expect(ends[monday]).toEqual(["0", "0", "0", "0", "0"]);
    expect(waits[monday]).toEqual(["0", "–", "–", "–"]);
    const bars =
      / y="([\d.]+)"[^>]* height="([\d.]+)"><title>Sun[^<]*: \d (?:completed|no-shows)</g;
    const [completed, noShows] = [...body.matchAll(bars)].map((bar) => bar.slice(1).map(Number));
    const bottom = (noShows?.[0] ?? 0) + (noShows?.[1] ?? 0);
    expect(bottom).toBeCloseTo(completed?.[0] ?? 0, 0); // one bar upon the other
  });

  test.each([
    ["?from=2026-11-21&to=2026-11-20", 422, "The first day must not lie after the last one."],
    ["?from=2026-08-21&to=2026-11-21", 422, "At most 92 days can be shown together."],
    ["?from=2026-08-22&to=2026-11-21", 200, ""],
    ["?from=9999-10-01&to=9999-12-31", 200, ""],
    ["?to=%3Cb%3E", 422, "To must be a date like 2026-11-21."],
  ])("cover up to 92 days that exist: %s", async (query, expected, message) => {
    const { status, body } = await statisticsOf(await service.clinic(), query);
    expect(status).toBe(expected);
    expect(textOf(body)).toContain(message);
  });
});

describe("reports", () => {
  /** Starts reports, whose clients can disconnect. The store is read in two parts, which wait at a gate. */
  function slowReports() {
    const parts = gate();
    const read = vi.fn<Store["statistics"]["entryTimes"]>(async (_id, _days, _queue, after) => {
      await parts.pass();
      return { items: [], nextCursor: after === null ? "second" : null };
    });
    const reports = new Reports({ statistics: { entryTimes: read } });
    const ask = (id = clinic.id) => {
      const client = new AbortController();
      const asked = { days: { first: "2026-11-01", last: "2026-11-21" }, queueId: null };
      const report = reports.read({ ...clinic, id }, asked, client.signal).then(
        () => "made",
        (error: Error) => error.message || error.name,
      );
      return { report, leave: () => client.abort(new Error("gone")) };
    };
    parts.close();
    return { ask, parts, read };
  }

  test("whose clients disconnect stop, or never start, and free their place", async () => {
    const { ask, parts, read } = slowReports();
    const [left, waiting] = [ask(), ask()];
    await parts.reached(1);
    waiting.leave();
    expect(await waiting.report).toBe("gone");
    left.leave();
    const next = ask();
    parts.open();
    expect([await left.report, await next.report]).toEqual(["gone", "made"]);
    expect(read).toHaveBeenCalledTimes(3);
  });

  test("are computed one at a time per business with four waiting, and two at a time in total", async () => {
    const { ask, parts, read } = slowReports();
    const mine = Array.from({ length: 6 }, () => ask());
    expect(await mine.pop()?.report).toBe("QueueFullError");
    const others = [ask("second"), ask("third")];
    await parts.reached(2);
    expect(read).toHaveBeenCalledTimes(2);
    parts.open();
    const made = await Promise.all([...mine, ...others].map(({ report }) => report));
    expect(made).toEqual(Array(7).fill("made"));
  });

  test("that too many wait for say when to try again, and drop clients that disconnected", async () => {
    const { visitor } = await ownedClinic(service);
    const leaving = new AbortController();
    const options = { headers: { ...cookieHeader(visitor) }, signal: leaving.signal };
    pieces.close();
    const pages = Array.from({ length: 6 }, () =>
      fetch(`${service.url}/dashboard/statistics`, options),
    );
    const busy = await Promise.race(pages);
    expect([busy.status, busy.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await busy.text()).toContain("try again in a moment");
    leaving.abort();
    await Promise.allSettled(pages);
    pieces.open();
    const status = async () => (await visitor.get("/dashboard/statistics")).status;
    await expect.poll(status).toBe(200);
  });
});
