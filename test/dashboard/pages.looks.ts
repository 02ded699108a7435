import { inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { testService } from "../support/service.js";
import { expectFits, overflowOf } from "./support/accessibility.js";
import { allNamed, filledIn, idsOf, pages } from "./support/all-pages.js";
import { busyClinic, person } from "./support/board.js";
import { signedInPage } from "./support/browser.js";
import { displayOf } from "./support/display.js";
import { boardOpener, message } from "./support/open-board.js";
import {
  another,
  inviteOwner,
  password,
  signedInStaff,
  visitorOf,
  wrong,
} from "./support/visitor.js";

const service = await testService();
const long = "Wolfeschlegelsteinhausenbergerdorff".repeat(4).slice(0, 120);
/** A PDF file with its compressed parts as text after it. Firefox writes the sizes of pages into such a part. */
function inflated(pdf: Buffer): string {
  const file = pdf.toString("latin1");
  const parts = [...file.matchAll(/\/FlateDecode.*?stream\r?\n/gs)].map(
    ({ index, 0: { length } }) => inflateSync(pdf.subarray(index + length)).toString("latin1"),
  );
  return [file, ...parts].join("\n");
}

describe.skipIf(noBrowser)(
  `the dashboard in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  () => {
    const { at, open, openPage } = boardOpener(service);
    const options = { reducedMotion: "reduce" } as const;
    const press = (page: Page, name: string) => page.getByRole("button", { name }).first().click();
    const look = async (page: Page, state: string) => {
      for (const details of await page.locator("summary").all()) await details.click();
      await expectFits(page, state, { targets: true });
    };

    /** What a form shows: its page, its fields, the button, and the text that the next page has. */
    type Sent = readonly [string, Readonly<Record<string, string>>, string, string];

    /** Looks at what forms show, which the browser does not check. */
    async function lookAtForms(page: Page, forms: readonly Sent[]) {
      for (const [path, fields, button, text] of forms) {
        await page.goto(at(path));
        await page.evaluate("for (const form of document.forms) form.noValidate = true");
        for (const [label, typed] of Object.entries(fields))
          await page.getByLabel(label, { exact: true }).fill(typed);
        await press(page, button);
        await page.getByText(text).first().waitFor();
        await look(page, text);
      }
    }

    test("each page of an owner fits, and axe-core reports no violations", async () => {
      const clinic = await service.clinic(allNamed(long));
      const none = { services: [], queues: [], keys: [], appointments: [] };
      const empty = await service.clinic(none);
      await clinic.client().me();
      await clinic.client().get("/v1/nothing");
      const check = async (of: Clinic, paths: readonly string[]) => {
        const { page, faults } = await openPage(of, "", options);
        const menuX = async () => (await page.locator(".top .menu").boundingBox())?.x;
        await page.setViewportSize({ width: 1440, height: 800 });
        const place = await menuX();
        for (const path of paths) {
          await page.goto(at(path));
          await look(page, path);
          if (!path.endsWith("/print")) expect(await menuX(), path).toBe(place);
        }
        expect(faults).toEqual([]);
        return page;
      };
      await signedInStaff(service, clinic, `${clinic.slug}@clinic.example`);
      const ids = { ...(await idsOf(service, clinic, "waits")), "/keys": clinic.keyId("ending") };
      const board = /^\/(board(?!.*print).*)?$/; // it has a test of its own
      await check(clinic, [
        ...pages.filter((path) => !board.test(path)).map((path) => filledIn(path, ids)),
        ...["/audit?status=5xx", "/statistics?from=2026-10-25&to=2026-11-21"],
        "/statistics?from=2026-11-21&to=2026-11-01",
      ]);
      const lists = ["/keys", "/audit", "/statistics", "/services", "/queues", "/appointments"];
      const page = await check(empty, lists);
      const kiosk = { Name: "Kiosk", "Addresses it may be used from": "nowhere" };
      const bert = { "E-mail address": `bert-${empty.slug}@clinic.example` };
      const passwords = { "Current password": wrong.password, "New password": another };
      await lookAtForms(page, [
        ["/keys/new", kiosk, "Make the key", "Addresses, number 1, must be an IPv4"],
        ["/staff", bert, "Make the link", "The link, shown only once"],
        ["/account", passwords, "Change the password", "This is not the same as above."],
        ["/settings", { Minutes: "999999" }, "Save", "Minutes must be at most 1440."],
        ["/settings", {}, "Make the link", "The link to the display"],
        ["/keys/new", { Name: "Kiosk" }, "Make the key", "The key, shown only once"],
      ]);
    });

    test("each page before a sign-in fits, and axe-core reports no violations", async () => {
      const { email, linkToken } = await inviteOwner(service, await service.clinic());
      const { page, faults } = await signedInPage(visitorOf(service), options);
      for (const path of ["/set-password?token=used", "/sign-in"]) {
        await page.goto(at(path));
        await look(page, path);
      }
      const anna = { "E-mail address": email, Password: password };
      await lookAtForms(page, [
        ["/sign-in", {}, "Sign in", "Enter your e-mail address."],
        ["/sign-in", anna, "Sign in", "The e-mail address or the password is wrong."],
        [`/set-password?token=${linkToken}`, {}, "Set the password", "this one has 0"],
      ]);
      expect(faults.filter((fault) => !fault.includes("410 (Gone)"))).toEqual([]);
    });

    test("the board fits, also with the card of a person, and axe-core reports no violations", async () => {
      const { services = [] } = allNamed(long);
      const { page, front } = await open({ ...busyClinic, name: long, services }, options);
      await front.getByText("Add a walk-in").click();
      await front.getByText("More details").click();
      await front.getByLabel("Phone").fill("12345");
      await press(page, "Add to the line");
      await front.getByText("Enter the whole number").waitFor();
      await press(page, "Close Front desk");
      await message(page).waitFor();
      await expectFits(page, "the board", { targets: true });
      await front.getByRole("link", { name: /^A7 / }).click();
      await page.getByRole("dialog").waitFor();
      await expectFits(page, "a person's card");
    });

    test.each([280, 360])(
      "the counts and the name of who is next fit a width of %i",
      async (width) => {
        const done = Array.from({ length: 12 }, (_, at) =>
          person(`d${at}`, { status: "COMPLETED" }),
        );
        const next = person("long", { name: `${"Anantharaman ".repeat(6)}Iy` });
        const one = [{ ref: "front", name: "Front desk", entries: [...done, next] }];
        const two = [...one, { ref: "lab", name: "Laboratory", tokenSeries: "L" }];
        for (const queues of [one, two]) {
          const { page, front } = await open({ queues }, { viewport: { width, height: 800 } });
          await page.evaluate("document.fonts.ready");
          for (const word of await front.locator(".counts dt").all())
            expect((await word.boundingBox())?.height, await word.innerHTML()).toBeLessThan(26);
          const button = await front.locator("button.call").boundingBox();
          const name = await front.locator("button.call .name").boundingBox();
          expect(name?.width).toBeGreaterThan((button?.width ?? 0) * 0.8);
          await expectFits(page, `${queues.length} queues`);
        }
      },
    );

    test.each([
      { width: 1280, height: 720 },
      { width: 390, height: 664 },
      { width: 320, height: 664 },
    ])(
      "the message of the board is shown whole, above the buttons that call: %j",
      async (viewport) => {
        const waiting = Array.from({ length: 20 }, (_, at) => person(`w${at}`));
        const queues = [{ ref: "front", name: "Front desk", entries: waiting }];
        const { page, front } = await open({ queues }, { viewport });
        const expectWhole = async (token: string) => {
          await expect.poll(() => message(page).textContent()).toContain(`${token}, `);
          const shown = await page.locator("#flash .flash").boundingBox();
          const head = await page.locator(".page-head").boundingBox();
          if (!shown || !head) throw new Error("there is no message, or no head");
          const clipped = "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)";
          const text = "document.querySelector('#flash p')";
          expect(await page.evaluate(`${clipped}(${text})`)).toBeLessThanOrEqual(0);
          expect(shown.y).toBeGreaterThanOrEqual(0);
          expect(shown.y + shown.height).toBeLessThanOrEqual(head.y + head.height);
        };
        for (const token of ["A1", "A18"]) {
          await front.getByRole("button", { name: `Call ${token}`, exact: true }).click();
          await expectWhole(token);
        }
        await front.getByText("Add a walk-in").click();
        await front.getByLabel("Name").fill("Meera Nair");
        await page.keyboard.press("Enter");
        await expectWhole("A21");
      },
    );

    test.each([
      { viewport: { width: 1280, height: 640 }, inRow: 3 },
      { viewport: { width: 390, height: 664 }, inRow: 1 },
    ])("each first card of eight queues fits, with its button that calls: %j", async (look) => {
      const { viewport, inRow } = look;
      const queues = [..."ABCDEFGH"].map((tokenSeries) => {
        const name = `Doctor ${tokenSeries}, Room of general medicine`;
        return { name, tokenSeries, entries: [person(tokenSeries)] };
      });
      const clinic = await service.clinic({ queues });
      const { page } = await openPage(clinic, "", { viewport });
      for (let at = 0; at < inRow; at++) {
        const button = await page.locator("button.call").nth(at).boundingBox();
        expect((button?.y ?? 9_999) + (button?.height ?? 0)).toBeLessThan(viewport.height);
      }
    });

    test("a day of appointments shows several on a tablet, also if one has a long note", async () => {
      const notes = "Asks for the quiet corner, and brings a daughter who is four. ".repeat(4);
      const waiting = ["10:00", "11:00"].map((slotTime) => ({
        slotTime,
        customer: { name: "Meera" },
      }));
      const clinic = await service.clinic({
        appointments: [...waiting, { slotTime: "12:00", notes }],
      });
      const { page } = await openPage(clinic, "/appointments");
      for (const { width, rows } of [
        { width: 641, rows: 2 },
        { width: 700, rows: 2 },
        { width: 767, rows: 2 },
        { width: 768, rows: 2 },
        { width: 1024, rows: 2 },
        { width: 1280, rows: 1 },
      ]) {
        await page.setViewportSize({ width, height: 800 });
        const row = await page.locator("#day tbody tr").first().boundingBox();
        expect(row?.height, `${width}`).toBeLessThan(20 + 52 * rows);
      }
    });

    test("the head of the board is one row on a tablet", async () => {
      const { page } = await open(busyClinic, { viewport: { width: 768, height: 1024 } });
      const head = await page.locator(".page-head").boundingBox();
      expect(head?.height).toBeLessThan(60);
    });

    test("the statistics of each queue have its name in whole words on a phone", async () => {
      const viewport = { width: 390, height: 800 };
      const clinic = await service.clinic(busyClinic);
      const { page } = await openPage(clinic, "/statistics", { viewport });
      const name = await page.getByRole("rowheader", { name: "Laboratory" }).boundingBox();
      expect(name?.height).toBeLessThan(50);
    });

    test("the facts of a person stay readable on half a phone, as in type of twice the size", async () => {
      const clinic = await service.clinic(busyClinic);
      const path = `/board/people/${clinic.entry("first")}`;
      const { page } = await openPage(clinic, path, { viewport: { width: 195, height: 800 } });
      const facts = await page.locator(".facts").boundingBox();
      const queue = await page.locator(".facts dd").first().boundingBox();
      expect(queue?.width).toBeGreaterThan((facts?.width ?? 0) * 0.4);
    });

    test("a printed list of appointments fits A4 with each column, and without forms", async () => {
      const viewport = { width: 718, height: 1000 }; // A4 without its margins
      const clinic = await service.clinic(allNamed(long));
      const { page } = await openPage(clinic, "/appointments", { viewport });
      await page.emulateMedia({ media: "print" });
      expect(await overflowOf(page)).toBe(0);
      expect(await page.getByRole("columnheader", { name: "Minutes" }).isVisible()).toBe(true);
      expect(await page.locator("form").filter({ visible: true }).count()).toBe(0);
      expect(await page.locator("header").isVisible()).toBe(false);
    });

    test("the waiting-room display fits, live and not live, and axe-core reports no violations", async () => {
      const { link } = await displayOf(service);
      const { page, context } = await signedInPage(visitorOf(service), options);
      await page.goto(link);
      await expectFits(page, "live");
      await context.setOffline(true);
      await page.getByText("Not live since").waitFor();
      await expectFits(page, "not live");
    });

    test.each(["WWWW", "WWWWWWWWWW"])(
      "a printed token fits one page of 80 mm with the longest names, without scripts (%s)",
      async (tokenSeries) => {
        const long = "W".repeat(120);
        const clinic = await service.clinic({
          name: long,
          services: [{ ref: "long", name: long }],
          queues: [{ name: long, tokenSeries, entries: [person("a", { service: "long" })] }],
        });
        const path = `/board/people/${clinic.entry("a")}/print`;
        const { page } = await openPage(clinic, path, { javaScriptEnabled: false });
        const main = page.locator("main");
        const pdf = inflated(await page.pdf({ preferCSSPageSize: true }));
        const boxes = [...pdf.matchAll(/\/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]/g)];
        expect(boxes).toHaveLength(1);
        expect(Number(boxes[0]?.[1]) / 72).toBeCloseTo(80 / 25.4, 1);
        await page.emulateMedia({ media: "print" });
        expect(await page.getByRole("button").filter({ visible: true }).count()).toBe(0);
        const width = Math.floor((72 * 96) / 25.4) + 1;
        await page.setViewportSize({ width, height: 600 });
        expect((await main.boundingBox())?.width).toBeLessThanOrEqual(width);
        expect(await overflowOf(page)).toBe(0);
      },
    );
  },
);
