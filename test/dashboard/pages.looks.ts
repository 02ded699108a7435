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
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { another, inviteOwner, password, visitorOf, wrong } from "./support/visitor.js";

const service = await testService();
const queueOf = (entries: readonly ReturnType<typeof person>[], name = "Front desk") => ({
  queues: [{ ref: "front", name, entries }],
});

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

    test("each page of an owner fits, and axe-core reports no violations", async () => {
      const clinic = await service.clinic(allNamed(long));
      const none = { services: [], queues: [], keys: [], appointments: [] };
      const empty = await service.clinic(none);
      await clinic.client().me();
      await clinic.client().get("/v1/nothing");
      const look = async (page: Page, state: string) => {
        for (const details of await page.locator("summary").all()) await details.click();
        await expectFits(page, state, { targets: true });
      };
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
      await quicklySignedIn(service, clinic, `${clinic.slug}@clinic.example`, "staff");
      const ids = { ...(await idsOf(service, clinic, "waits")), "/keys": clinic.keyId("ending") };
      const board = /^\/(board(?!.*print).*)?$/; // it has a test of its own
      await check(clinic, [
        ...pages.filter((path) => !board.test(path)).map((path) => filledIn(path, ids)),
        ...["/audit?status=5xx", "/statistics?from=2026-10-25&to=2026-11-21"],
        "/statistics?from=2026-11-21&to=2026-11-01",
      ]);
      const lists = ["/keys", "/audit", "/statistics", "/services", "/queues", "/appointments"];
      const page = await check(empty, lists);
      /** Fills in the form of a page, sends it, and looks at the page that shows this text. */
      const submit = async (path: string, fields: object, button: string, text: string) => {
        await page.goto(at(path));
        for (const [label, typed] of Object.entries(fields))
          await page.getByLabel(label, { exact: true }).fill(typed);
        await press(page, button);
        await page.getByText(text).first().waitFor();
        await look(page, text);
      };
      const kiosk = { Name: "Kiosk", "Addresses it may be used from": "nowhere" };
      const bert = { "E-mail address": `bert-${empty.slug}@clinic.example` };
      const change = {
        "Current password": wrong.password,
        "New password": another,
        "New password again": "another",
      };
      await submit("/keys/new", kiosk, "Make the key", "Addresses, number 1, must be an IPv4");
      await submit("/staff", bert, "Make the link", "The link, shown only once");
      await submit("/account", change, "Change the password", "This is not the same as above.");
      await page.goto(at("/settings"));
      await page.evaluate('document.getElementById("longWaitMinutes").form.noValidate = true');
      await page.getByLabel("Minutes").fill("999999");
      await press(page, "Save");
      await page.locator("#longWaitMinutes-error").waitFor();
      await look(page, "settings with a fault");
      await submit("/settings", {}, "Make the link", "The link to the display");
      await submit("/keys/new", { Name: "Kiosk" }, "Make the key", "The key, shown only once");
    });

    test("each page before a sign-in fits, and axe-core reports no violations", async () => {
      const { email, linkToken } = await inviteOwner(service, await service.clinic());
      const { page, faults } = await signedInPage(visitorOf(service), options);
      const states: readonly (readonly [string, readonly string[], string | null, string])[] = [
        ["/set-password?token=used", [], null, "This link no longer works"],
        ["/sign-in", [], null, "Sign in"],
        ["/sign-in", [], "Sign in", "Enter your e-mail address."],
        ["/sign-in", [email, password], "Sign in", "The e-mail address or the password is wrong."],
        [`/set-password?token=${linkToken}`, [], "Set the password", "this one has 0"],
      ];
      for (const [path, typed, button, text] of states) {
        await page.goto(at(path));
        for (const [n, value] of typed.entries())
          await page.locator("form.alone input:visible").nth(n).fill(value);
        if (button) await press(page, button);
        await page.getByText(text).first().waitFor();
        await expectFits(page, text);
      }
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

    test("the board of one queue fits a phone, with whole names in its button and its counts", async () => {
      const seed = queueOf([person("long", { name: `${"Anantharaman ".repeat(6)}Iy` })]);
      const { page, front } = await open(seed, { viewport: { width: 390, height: 844 } });
      await page.evaluate("document.fonts.ready");
      const sizeOf = async (selector: string) => front.locator(selector).boundingBox();
      const [button, label] = [await sizeOf("button.call"), await sizeOf("button.call .name")];
      expect(label?.width).toBeGreaterThan((button?.width ?? 0) * 0.8);
      for (const count of await front.locator(".counts .over").all())
        expect((await count.boundingBox())?.height).toBeLessThan(30);
      expect(await front.getByRole("heading", { level: 2 }).isVisible()).toBe(true);
    });

    test.each([280, 360])("the text of the counts fits a width of %i", async (width) => {
      const done = (at: number) => person(`done${at}`, { status: "COMPLETED" });
      const one = queueOf([...Array.from({ length: 12 }, (_, at) => done(at)), person("waits")]);
      const two = [...one.queues, { ref: "lab", name: "Laboratory", tokenSeries: "L" }];
      for (const queues of [one.queues, two]) {
        const { page, front } = await open({ queues }, { viewport: { width, height: 800 } });
        await page.evaluate("document.fonts.ready");
        for (const word of await front.locator(".counts dt").all())
          expect((await word.boundingBox())?.height, await word.innerHTML()).toBeLessThan(26);
        await expectFits(page, `${queues.length} queues`);
      }
    });

    test.each([
      { width: 1280, height: 720 },
      { width: 390, height: 664 },
      { width: 320, height: 664 },
    ])(
      "the message of the board is shown whole, above the buttons that call: %j",
      async (viewport) => {
        const waiting = Array.from({ length: 20 }, (_, at) => person(`w${at}`));
        const { page, front } = await open(queueOf(waiting), { viewport });
        const call = (token: string) =>
          front.getByRole("button", { name: `Call ${token}`, exact: true }).click();
        const add = async () => {
          await front.getByText("Add a walk-in").click();
          await front.getByLabel("Name").fill("Meera Nair");
          await page.keyboard.press("Enter");
        };
        for (const token of ["A1", "A9", "A18", "A21"]) {
          await (token === "A21" ? add() : call(token));
          await expect.poll(() => message(page).textContent()).toContain(`${token}, `);
          const shown = await page.locator("#flash .flash").boundingBox();
          const head = await page.locator(".page-head").boundingBox();
          if (!shown || !head) throw new Error("there is no message, or no head");
          const clipped = "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)";
          const text = "document.querySelector('#flash p')";
          expect(await page.evaluate(`${clipped}(${text})`)).toBeLessThanOrEqual(0);
          expect(shown.y).toBeGreaterThanOrEqual(0);
          expect(shown.y + shown.height).toBeLessThanOrEqual(head.y + head.height);
        }
      },
    );

    test.each([
      { viewport: { width: 1280, height: 640 }, top: 180, inRow: 3 },
      { viewport: { width: 390, height: 664 }, top: 280, inRow: 1 },
    ])("each first card of twelve queues fits, with its button that calls: %j", async (look) => {
      const queues = Array.from({ length: 12 }, (_, at) => ({
        ref: at === 0 ? "front" : `q${at}`,
        tokenSeries: "ABCDEFGHIJKL"[at] ?? "A",
        name: `Doctor ${at + 1}, Room of general medicine`,
        entries: [person(`of ${at}`)],
      }));
      const { page, front } = await open(
        { queues: queues.slice(0, 8) },
        { viewport: look.viewport },
      );
      for (let at = 0; at < look.inRow; at++) {
        const button = await page.locator("button.call").nth(at).boundingBox();
        const bottom = (button?.y ?? 9_999) + (button?.height ?? 0);
        expect(bottom).toBeLessThan(look.viewport.height);
      }
      await front.waitFor();
      const short = queues.map((queue, at) => ({ ...queue, name: `Doctor ${at + 1}` }));
      const { front: first } = await open({ queues: short }, { viewport: look.viewport });
      expect((await first.boundingBox())?.y).toBeLessThan(look.top);
    });

    test("a printed list of appointments fits A4 with each column, and without forms", async () => {
      const viewport = { width: 718, height: 1000 }; // A4 without its margins
      const { page } = await openPage(await service.clinic(allNamed(long)), "/appointments", {
        viewport,
      });
      await page.emulateMedia({ media: "print" });
      expect(await overflowOf(page)).toBe(0);
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
