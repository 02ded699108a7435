import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import type { BusinessSeed } from "../support/seed.js";
import { testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { cardOf, person, walkInForm } from "./support/board.js";
import { sharedBrowser, signedInPage } from "./support/browser.js";
import { textOf } from "./support/html.js";
import { busyDesk } from "./support/quick-sign-in.js";

const service = await testService();

/** A PDF file with its compressed parts as text after it. Firefox writes the sizes of pages into such a part. */
function inflated(pdf: Buffer): string {
  const file = pdf.toString("latin1");
  const parts = [...file.matchAll(/\/FlateDecode.*?stream\r?\n/gs)].map(
    ({ index, 0: { length } }) => inflateSync(pdf.subarray(index + length)).toString("latin1"),
  );
  return [file, ...parts].join("\n");
}

const open = (changes?: BusinessSeed) => busyDesk(service, changes);

const printOf = (id: string) => `/dashboard/board/people/${id}/print`;
const linkIn = (page: string) => /href="([^"]+\/print)"/.exec(page)?.[1] ?? "";

test("a printed token shows the token, the position and the time, never the name or the phone number", async () => {
  const { clinic, visitor } = await open();
  const { body } = await visitor.get(printOf(clinic.entry("first")));
  const text = textOf(/<main>.*<\/main>/s.exec(body)?.[0] ?? "");
  expect(text).toMatch(
    / A5 Front desk Consultation 1 person is before you \d+ \w+ \d{4}, \d\d:\d\d$/,
  );
  expect(body).not.toContain("919800000001");
  expect(body).not.toContain("Person first");
  const next = textOf((await visitor.get(printOf(clinic.entry("urgent")))).body);
  expect(next).toContain("You are next");
  const gone = textOf((await visitor.get(printOf(clinic.entry("left")))).body);
  expect(gone).toContain("Canceled");
});

test("the message after a walk-in and the card of a waiting person link to the printed token", async () => {
  const { clinic, visitor } = await open();
  const form = walkInForm(cardOf((await visitor.get("/dashboard")).body, clinic.queue("lab")));
  await visitor.submit("/dashboard/board/walk-in", { ...form, phone: "+91 98000 00077" });
  const message = linkIn((await visitor.get("/dashboard")).body);
  const printed = (await visitor.get(message)).body;
  expect(textOf(printed)).toContain("L1 Laboratory You are next");
  expect(printed).not.toContain("9800000077");
  const card = (await visitor.get(message.replace("/print", ""))).body;
  expect(linkIn(card)).toBe(message);
  const served = await visitor.get(`/dashboard/board/people/${clinic.entry("served")}`);
  expect(linkIn(served.body)).toBe("");
});

test("the messages after a check-in and after a transfer link to the new printed token", async () => {
  const { clinic, visitor } = await open({
    appointments: [{ ref: "visit", slotTime: "09:15", customer: { name: "Customer 2" } }],
  });
  const path = `/dashboard/appointments/${clinic.appointment("visit")}/status`;
  const fields = { status: "CHECKED_IN", queue: clinic.queue("lab") };
  const checkedIn = await visitor.submit(path, fields);
  const message = linkIn((await visitor.get(checkedIn.location ?? "")).body);
  expect(textOf((await visitor.get(message)).body)).toContain("L1 Laboratory");
  await visitor.submit("/dashboard/board", {
    ...{ transfer: clinic.entry("first"), to: clinic.queue("lab") },
  });
  const moved = linkIn((await visitor.get("/dashboard")).body);
  expect(textOf((await visitor.get(moved)).body)).toContain("L2 Laboratory");
});

test("a printed token belongs to its business", async () => {
  const [{ clinic }, { visitor }] = [await open(), await open()];
  expect((await visitor.get(printOf(clinic.entry("first")))).status).toBe(404);
});

describe.skipIf(noBrowser)(`a printed token${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const browser = sharedBrowser();
  const long = "W".repeat(120);

  test.each(["WWWW", "WWWWWWWWWW"])(
    "is one page of 80 mm that fits the longest names, without scripts (%s)",
    async (tokenSeries) => {
      const { clinic, visitor } = await open({
        name: long,
        services: [{ ref: "long", name: long }],
        queues: [{ name: long, tokenSeries, entries: [person("a", { service: "long" })] }],
      });
      const { page } = await signedInPage(browser(), visitor, { javaScriptEnabled: false });
      await page.goto(`${service.url}${printOf(clinic.entry("a"))}`);
      const pdf = inflated(await page.pdf({ preferCSSPageSize: true }));
      const boxes = [...pdf.matchAll(/\/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]/g)];
      expect(boxes).toHaveLength(1);
      expect(Number(boxes[0]?.[1]) / 72).toBeCloseTo(80 / 25.4, 1);
    },
  );

  test("fits the paper, has no errors, and hides parts that are only for the screen", async () => {
    const { clinic, visitor } = await open({ name: long });
    const { page, faults } = await signedInPage(browser(), visitor);
    await page.goto(`${service.url}${printOf(clinic.entry("first"))}`);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
    const width = (72 * 96) / 25.4;
    await page.setViewportSize({ width: Math.floor(width) + 1, height: 600 });
    const wide = await page.evaluate(
      "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('main *')].map((one) => one.scrollWidth))",
    );
    expect(wide).toBeLessThanOrEqual(Math.floor(width) + 1);
    expect(faults).toEqual([]);
  });
});
