import type { BrowserContext, Page, Request } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { noBrowser, otherHost } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { busyClinic } from "./support/board.js";
import { follow } from "./support/events.js";
import { boardOpener, isLive, isMarked, line, mark, message } from "./support/open-board.js";
import { restartableService } from "./support/restartable.js";

const service = await testService();

/** Waits for the sign-in page. Both the end of the session and a refused request can redirect to it. */
const isAtSignIn = (page: Page) => page.getByRole("button", { name: "Sign in" }).waitFor();

describe.skipIf(noBrowser)(`the board's connection${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const { open, openBoard } = boardOpener(service);

  describe("with a lost connection", () => {
    /** Opens a board that cannot follow its events. */
    async function openLost() {
      const opened = await open();
      await opened.context.route("**/board/events*", (route) => route.abort());
      await opened.page.reload();
      await opened.page.getByText("Connection lost. Trying again…").waitFor();
      return opened;
    }

    /** Holds the requests by which a board looks for the server. */
    async function heldProbes(context: BrowserContext) {
      const probe = gate();
      await context.route("**/dashboard", async (route) => {
        if (route.request().method() === "HEAD") await probe.pass();
        await route.fallback();
      });
      probe.close();
      return probe;
    }

    test("shows a message, and reconnects with the typed text and without a page load", async () => {
      const { service: own, stop, start } = await restartableService(onTestFinished);
      const clinic = await own.clinic({ keys: [wideKey], ...busyClinic });
      const { page, front } = await openBoard(clinic, {}, own);
      await mark(page);
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Half typed");
      await stop();
      const lost = page.getByText("Connection lost. Trying again…");
      await lost.waitFor();
      await page.setViewportSize({ width: 390, height: 400 });
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      expect((await lost.boundingBox())?.y).toBe(0);
      await own.owner.next(clinic.queue());
      await start();
      await isLive(page);
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
      expect(await front.getByLabel("Name").inputValue()).toBe("Half typed");
      expect(await isMarked(page)).toBe(true);
    });

    test("performs the actions of its buttons, and shows the missed changes", async () => {
      const { clinic, page, front } = await openLost();
      await service.owner.next(clinic.queue());
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await expect
        .poll(() => message(page).textContent())
        .toBe("A7 was called already. Nothing was changed.");
      await expect.poll(() => line(page).catch(() => [])).toEqual(["A5", "A6"]);
    });

    test("calls one person when the button is tapped twice before the server answers", async () => {
      const { page, context, front } = await openLost();
      const probe = await heldProbes(context);
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") sent.push(request.url());
      });
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await probe.reached(1);
      await front.locator("button.call").click({ force: true });
      probe.open();
      await expect.poll(() => message(page).textContent()).toBe("A7, Person urgent, was called.");
      expect(sent).toHaveLength(1);
      await expect.poll(() => line(page).catch(() => [])).toEqual(["A5", "A6"]);
    });

    test("does what the tapped button said, although the board changed before the server answered", async () => {
      const { clinic, page, context, front } = await openLost();
      const post = gate();
      await context.route("**/dashboard/board", async (route) => {
        await post.pass();
        await route.fallback();
      });
      post.close();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await post.reached(1);
      await context.unroute("**/board/events*");
      await page.evaluate("dispatchEvent(new Event('online'))");
      await isLive(page);
      await service.owner.next(clinic.queue());
      await front.getByRole("button", { name: /^Call next A5/ }).waitFor();
      await front.locator("button.call").click({ force: true }); // the second of two quick taps
      post.open();
      await expect
        .poll(() => message(page).allTextContents())
        .toEqual(["A7 was called already. Nothing was changed."]);
      expect(await line(page)).toEqual(["A5", "A6"]);
    });
  });

  describe("in a hidden tab", () => {
    const look = (page: Page, hidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
        document.dispatchEvent(new Event("visibilitychange"));
      `);

    test("closes its connection, and shows the missed changes when the tab is visible again", async () => {
      const { clinic, page } = await open();
      await mark(page);
      await look(page, true);
      await page.getByText("Connecting…").waitFor();
      await clinic.client().create(clinic.queue());
      await service.owner.next(clinic.queue());
      expect(await line(page)).toEqual(["A7", "A5", "A6"]);
      await look(page, false);
      await isLive(page);
      expect(await line(page)).toEqual(["A5", "A6", "A8"]);
      expect(await isMarked(page)).toBe(true);
    });

    test("uses no connection, so that the seventh tab opens like the first", async () => {
      const { page, context } = await open();
      const tabs = [page];
      while (tabs.length < 6) {
        await look(tabs.at(-1) as Page, true);
        const tab = await context.newPage();
        await tab.goto(`${service.url}/dashboard`);
        await isLive(tab);
        tabs.push(tab);
      }
      const seventh = await context.newPage();
      await seventh.goto(`${service.url}/dashboard/keys`);
      await seventh.getByRole("heading", { level: 1 }).waitFor();
    });
  });

  test("pauses when the browser has twenty newer boards, and is live again on focus", async () => {
    const { page, visitor } = await open();
    const board = (await visitor.get("/dashboard")).body;
    for (let n = 0; n < 20; n++) await follow(visitor, board, onTestFinished);
    await page.getByText("Paused: this board is open many times.").waitFor();
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await isLive(page);
  });

  describe("when its session ends", () => {
    test("does not perform an action that is sent at that moment", async () => {
      const { clinic, page, front, visitor, context } = await open();
      await context.route("**/dashboard/board", async (route) => {
        await visitor.submit("/dashboard/sign-out", { everywhere: "yes" });
        await route.continue();
      });
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await isAtSignIn(page);
      expect((await clinic.client().entry(clinic.entry("urgent"))).data.status).toBe("WAITING");
    });

    test("redirects to the sign-in page over plain HTTP as well, where browsers send no Sec-Fetch-Dest", async () => {
      const { service: own, stop, start } = await restartableService(onTestFinished);
      const clinic = await own.clinic({ keys: [wideKey], ...busyClinic });
      const { page } = await openBoard(
        clinic,
        { baseURL: own.url.replace("127.0.0.1", otherHost) },
        own,
      );
      const probe = page.waitForRequest((request) => request.method() === "HEAD");
      await stop();
      for (const { id } of await own.store.accounts.list(clinic.id))
        await own.store.sessions.endAll(clinic.id, id);
      await start();
      await isAtSignIn(page);
      expect(await (await probe).allHeaders()).not.toHaveProperty("sec-fetch-dest");
    });
  });

  test("opens only the sign-in page on a sign-out, even when the stream ends first", async () => {
    const { page } = await open();
    const visits: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) visits.push(new URL(request.url()).pathname);
    });
    const ofStream = (request: Request) => request.url().includes("/board/events");
    const ended = Promise.race([
      page.waitForEvent("requestfinished", ofStream),
      page.waitForEvent("requestfailed", ofStream),
    ]);
    const form = "String(new URLSearchParams(new FormData(document.querySelector('.sign-out'))))";
    const postData = String(await page.evaluate(form)); // Playwright does not get it from Firefox
    await page.route("**/sign-out", async (route) => {
      const response = await route.fetch({ maxRedirects: 0, postData });
      await ended;
      await route.fulfill({ response });
    });
    await page.locator(".top .menu summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(visits).toEqual(["/dashboard/sign-out", "/dashboard/sign-in"]);
  });
});
