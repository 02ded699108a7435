import { describe, expect, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { morning } from "../support/clock.js";
import { type BusinessSeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { linkTo, rowsOf, textOf } from "./support/html.js";
import { ownedClinic, quicklySignedIn } from "./support/quick-sign-in.js";

const service = await testService();
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
  const visitor = await quicklySignedIn(service, clinic);
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

test("statistics as a file have the same numbers by day, queue and service", async () => {
  const { clinic, visitor } = await ownedClinic(service, twoQueues);
  const client = clinic.client();
  const serviceId = clinic.service("consult");
  await client.create(clinic.queue(), { name: "Customer", phone: "919800000001", serviceId });
  await client.create(clinic.queue("lab"));
  const { body } = await visitor.get("/dashboard/statistics");
  const { body: file, headers } = await visitor.get(linkTo(body, "Download as CSV"));
  expect(headers.get("Content-Disposition")).toMatch(/filename=statistics-.*\.csv/);
  const rows = file
    .trim()
    .split("\r\n")
    .map((row) => row.split(",").slice(0, 3).join());
  expect(rows.slice(1).map((row) => row.replaceAll('"', ""))).toEqual([
    "total,,2",
    expect.stringMatching(/^day,\d{4}-\d\d-\d\d,2$/),
    ...["queue,Front desk,1", "queue,Laboratory,1"],
    ...["service,Consultation,1", "service,,1"],
  ]);
  expect((await visitor.get("/dashboard/statistics/download?from=nonsense")).status).toBe(422);
});

describe("statistics of a day", () => {
  test("count arrivals by hour, waits and outcomes, in charts without inline styles or scripts", async () => {
    clock.set(morning); // 10:00 in India
    const clinic = await service.clinic(twoQueues);
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
      ...{ Arrivals: "4", Completed: "1", "No-shows": "1", Canceled: "1", "Not ended": "1" },
      ...{ "Median wait": "12 min", "90 % waited at most": "1 h 02" },
      ...{ "Median service time": "50 min" },
    });
    const hours = numbersOf(body, "arrivals");
    expect(Object.keys(hours)).toHaveLength(24);
    expect(hours["10:00"]).toEqual(["3"]);
    expect(hours["11:00"]).toEqual(["1"]);
    expect(hours["09:00"]).toEqual(["0"]);
    expect(textOf(body)).toContain("Front desk 3 1 1 0 12 62 50 Laboratory 1 0 0 1 – – –");

    expect(body).toContain("<svg");
    expect(body).not.toMatch(/ style=|<style|<script(?! src=)| on\w+=/);

    const lab = await statisticsOf(clinic, `?queue=${clinic.queue("lab")}`);
    expect(lab.tiles).toMatchObject({ Arrivals: "1", Canceled: "1", "Median wait": "–" });
    expect(lab.body).toContain(`<option value="${clinic.queue("lab")}" selected>`);
  });

  test("explain an empty day, and link to days with data", async () => {
    const { body } = await statisticsOf(await service.clinic());
    expect(textOf(body)).toContain("No tokens were issued today.");
    expect(linkTo(body, "The last four weeks")).toMatch(
      /\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/,
    );
    expect(body).not.toContain("<figure");
  });
});

describe("statistics of several days", () => {
  const past = (date: string, statuses: readonly string[]) =>
    statuses.map((status) => ({ status: status as "COMPLETED", date, name: "Customer 1" }));

  test("show each day of the business, including days without entries", async () => {
    clock.set(morning);
    await service.clinic({
      queues: [{ name: "Other", entries: past("today-1", ["COMPLETED"]) }],
    });
    const clinic = await service.clinic({
      queues: [
        {
          name: "Front desk",
          entries: [
            ...past("today-6", ["COMPLETED", "COMPLETED", "NO_SHOW"]),
            ...past("today-1", ["CANCELED"]),
            ...past("today-7", ["COMPLETED"]),
            ...past("today", ["WAITING"]),
          ],
        },
      ],
    });
    const { body, tiles } = await statisticsOf(clinic, "?from=2026-11-15&to=2026-11-21");
    expect(tiles).toMatchObject({
      Arrivals: "5",
      Completed: "2",
      "No-shows": "1",
      Canceled: "1",
    });
    const ends = numbersOf(body, "ends");
    expect(Object.keys(ends)).toHaveLength(7);
    expect(ends["Sun, 15 Nov 2026"]).toEqual(["3", "2", "1", "0", "0"]);
    expect(ends["Mon, 16 Nov 2026"]).toEqual(["0", "0", "0", "0", "0"]);
    expect(ends["Fri, 20 Nov 2026"]).toEqual(["1", "0", "0", "1", "0"]);
    const waits = numbersOf(body, "waits");
    expect(waits["Sun, 15 Nov 2026"]?.[0]).toBe("2");
    expect(waits["Fri, 20 Nov 2026"]).toEqual(["0", "–", "–", "–"]);
  });

  test.each([
    ["?from=2026-11-21&to=2026-11-20", "The first day must not lie after the last one."],
    ["?from=2026-08-21&to=2026-11-21", "At most 92 days can be shown together."],
    ["?from=2026-02-30&to=2026-03-01", "From must be a day that exists."],
    ["?to=%3Cb%3E", "To must be a date like 2026-11-21."],
  ])("that are invalid show an error: %s", async (query, message) => {
    const { status, body } = await statisticsOf(await service.clinic(), query);
    expect(status).toBe(422);
    expect(textOf(body)).toContain(message);
  });

  test.each([
    "?from=2026-08-22&to=2026-11-21",
    "?from=9999-12-31&to=9999-12-31",
    "?from=9999-10-01&to=9999-12-31",
  ])("can cover up to 92 days: %s", async (query) => {
    expect((await statisticsOf(await service.clinic(), query)).status).toBe(200);
  });

  test("are of one day if only one is given", async () => {
    const { body } = await statisticsOf(await service.clinic(), "?from=2026-11-20");
    expect(body).toContain('id="to" name="to" type="date" value="2026-11-20"');
  });
});
