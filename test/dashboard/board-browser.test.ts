import type { BrowserContext, Page, Request } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { noBrowser, otherHost } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { gate } from "../support/gate.js";
import { wideKey } from "../support/seed.js";
import { type Service, testService } from "../support/service.js";
import { expectFits, violationsOf } from "./support/accessibility.js";
import { busyClinic, person } from "./support/board.js";
import { sharedBrowser, signedInPage } from "./support/browser.js";
import { follow } from "./support/events.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { restartableService } from "./support/restartable.js";

const calls = gate();
const service = await testService({
  interpose: (store) => ({
    entries: {
      callIfNext: async (...request) => {
        await calls.pass();
        return store.entries.callIfNext(...request);
      },
    },
  }),
});

describe.skipIf(noBrowser)(`the board in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const browser = sharedBrowser();

  type Options = Parameters<typeof signedInPage>[2];

  /** Opens the board of a clinic as its owner, and waits until it is live, unless scripts are off. */
  async function openBoard(clinic: Clinic, options: Options = {}, on: Service = service) {
    const visitor = await quicklySignedIn(on, clinic);
    const opened = await signedInPage(browser(), visitor, options);
    await opened.page.goto(`${options.baseURL ?? on.url}/dashboard`);
    if (options.javaScriptEnabled !== false) await isLive(opened.page);
    return { ...opened, visitor, front: opened.page.locator(`#queue-${clinic.queue()}`) };
  }

  async function open(seed = busyClinic, options: Options = {}) {
    const clinic = await service.clinic({ keys: [wideKey], ...seed });
    return { clinic, ...(await openBoard(clinic, options)) };
  }

  const isLive = (page: Page) => page.locator("#live", { hasText: "Live" }).waitFor();
  /** Waits for the sign-in page. Both the end of the session and a refused request can redirect to it. */
  const isAtSignIn = (page: Page) => page.getByRole("button", { name: "Sign in" }).waitFor();
  const line = (page: Page) => page.locator("ol.line .token").allTextContents();
  const message = (page: Page) => page.locator("#flash p");

  /** Sets a variable that the next page load removes. */
  const mark = (page: Page) => page.evaluate("window.marked = true");
  const isMarked = (page: Page) => page.evaluate("window.marked === true");

  describe("live", () => {
    test("shows a token that the API created, a call and a completion, without a page load", async () => {
      const { clinic, page, front, faults } = await open();
      await mark(page);
      await clinic.client().create(clinic.queue(), { name: "Newcomer", phone: "919800000003" });
      await front.getByText("Newcomer").waitFor();
      expect(await line(page)).toEqual(["A7", "A5", "A6", "A8"]);

      await front.getByRole("button", { name: /^Call next/ }).click();
      await front.getByRole("button", { name: "Complete A7" }).click();
      await expect.poll(() => message(page).textContent()).toBe("A7, Person urgent, is completed.");
      expect(await front.locator(".counts").textContent()).toContain("Completed2");
      expect(await isMarked(page)).toBe(true);
      expect(faults).toEqual([]);
    });

    test("shows the details of a person, and performs the actions of the card", async () => {
      const { page, front } = await open();
      const dialog = page.getByRole("dialog");
      const choose = async (token: string, name: string) => {
        await front.getByRole("link", { name: new RegExp(`^${token} `) }).click();
        await dialog.getByRole("button", { name, exact: true }).click();
        await dialog.waitFor({ state: "hidden" });
      };
      await choose("A6", "Give priority");
      await expect.poll(() => line(page)).toEqual(["A6", "A7", "A5"]);
      await choose("A6", "Take priority away");
      await expect.poll(() => line(page)).toEqual(["A7", "A5", "A6"]);
      await choose("A7", "No-show");
      await choose("A5", "Cancel the token");
      await expect.poll(() => line(page)).toEqual(["A6"]);
      await front.getByRole("link", { name: /^A6 / }).click();
      expect(await dialog.textContent()).toContain("Phone919800000001");
      await dialog.getByRole("button", { name: "Close" }).click();
      await front.getByRole("button", { name: "Call A6" }).click();
      await front.getByText("Nobody else is waiting.").waitFor();
    });

    test("corrects the name and phone number of a person, and shows an error in the card", async () => {
      const { page, front } = await open();
      const dialog = page.getByRole("dialog");
      await front.getByRole("link", { name: /^A6 / }).click();
      await dialog.getByText("Correct", { exact: true }).click();
      await dialog.getByLabel("Phone").fill("123");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("Enter the whole number").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByLabel("Name").fill("Meera");
      await dialog.getByLabel("Phone").fill("+91 98000 00077");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "hidden" });
      await expect.poll(() => message(page).textContent()).toBe("A6, Meera, is corrected.");
      await front.locator("ol.line").getByText("Meera").waitFor();
      await front.getByRole("link", { name: /^A6 / }).click();
      await dialog.getByText("+919800000077").waitFor();
    });

    test("pauses, closes and opens a queue", async () => {
      const { clinic, page, front } = await open();
      const press = (name: string) =>
        front.getByRole("button", { name: `${name} Front desk` }).click();
      await press("Pause");
      await front.getByText("Paused", { exact: true }).waitFor();
      await press("Resume");
      await press("Close");
      await front.getByText("Closed", { exact: true }).waitFor();
      await press("Open");
      await expect.poll(() => message(page).textContent()).toBe("Front desk is open.");
      expect((await clinic.client().queue(clinic.queue())).data.isActive).toBe(true);
    });

    test("adds several walk-ins by the keyboard alone", async () => {
      const { page, front } = await open();
      await front.locator(".walk-in summary").click();
      for (const name of ["Walker", "Strider"]) {
        await front.getByLabel("Name").fill(name);
        await page.keyboard.press("Enter");
        await front.locator("ol.line").getByText(name).waitFor();
        await expect.poll(() => front.getByLabel("Name").inputValue()).toBe("");
      }
      await front.getByLabel("Phone").fill("12345");
      await page.keyboard.press("Enter");
      await front.getByText("Enter the whole number").waitFor();
      expect(await line(page)).toEqual(["A7", "A5", "A6", "A8", "A9"]);
    });

    test("keeps the typed text and the focus when the line changes", async () => {
      const { clinic, page, front } = await open();
      await front.locator(".walk-in summary").click();
      await front.getByLabel("Name").pressSequentially("Half a n");
      await clinic.client().create(clinic.queue());
      await expect.poll(() => line(page)).toContain("A8");
      await page.keyboard.type("ame");
      expect(await front.getByLabel("Name").inputValue()).toBe("Half a name");
    });

    test("shows in one browser the changes of another", async () => {
      const { clinic, page, front } = await open();
      const other = await openBoard(clinic);
      await front.getByRole("button", { name: /^Call next/ }).click();
      await other.front.getByRole("button", { name: "Complete A7" }).click();
      for (const view of [page, other.page]) {
        await expect.poll(() => line(view)).toEqual(["A5", "A6"]);
        await view.getByRole("button", { name: "Complete A7" }).waitFor({ state: "detached" });
      }
    });

    test("calls one person when the button is tapped twice", async () => {
      const { page, front } = await open();
      await front.getByRole("button", { name: /^Call next A7/ }).dblclick();
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
      await message(page).waitFor();
      expect(await line(page)).toEqual(["A5", "A6"]);
    });

    test("calls one person when two browsers call at once", async () => {
      const { clinic, page, front } = await open();
      const other = await openBoard(clinic);
      calls.close();
      for (const card of [front, other.front]) {
        await card.getByRole("button", { name: /^Call next A7/ }).click();
      }
      await calls.reached(2);
      calls.open();
      const texts = [await message(page).textContent(), await message(other.page).textContent()];
      expect(texts.sort()).toEqual([
        "A7 was called already. Nothing was changed.",
        "A7, Person urgent, was called.",
      ]);
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
    });

    test("sends each of three taps, although the first of them is still under way", async () => {
      const { clinic, front } = await open();
      calls.close();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await calls.reached(1);
      await front.getByRole("button", { name: "Complete A4" }).click();
      await front.getByRole("button", { name: "Pause Front desk" }).click();
      calls.open();
      const states = async () => {
        const { data } = await clinic.client().queue(clinic.queue());
        const { data: people } = await clinic.client().entries(clinic.queue());
        const called = people.filter(({ status }) => status === "IN_SERVICE");
        return [called.map(({ token }) => token), data.isTokenCreationPaused];
      };
      await expect.poll(states).toEqual([["A7"], true]);
    });

    test("says that a tap was not sent, although the message that contained its button is gone", async () => {
      const { page, front } = await open();
      await front.getByRole("button", { name: "Complete A4" }).click();
      await page.route("**/dashboard/board", async (route) => {
        await page.evaluate("document.querySelector('#flash').replaceChildren()");
        await route.abort();
      });
      await page.locator("#flash").getByRole("button", { name: "Undo" }).click();
      await expect
        .poll(() => message(page).allTextContents())
        .toEqual([
          "There is no connection to the server, so nothing was sent. Try again in a moment.",
        ]);
    });

    test("keeps a whole line in order after each kind of change", async () => {
      const entries = Array.from({ length: 40 }, (_, at) => person(`p${at}`));
      const queues = [{ ref: "front", name: "Front desk", entries }];
      const { clinic, page, front, faults } = await open({ queues });
      expect(await line(page)).toHaveLength(20);
      await front.getByRole("link", { name: /Show all 40/ }).click();
      await isLive(page);
      expect(await line(page)).toHaveLength(40);
      await service.store?.entries.setPriority(clinic.id, clinic.entry("p30"), true);
      await service.owner.next(clinic.queue());
      await service.owner.next(clinic.queue());
      await clinic.client().cancel(clinic.entry("p20"));
      await service.store?.entries.setPriority(clinic.id, clinic.entry("p10"), true);
      await clinic.client().create(clinic.queue());
      const expected = [11, ...Array.from({ length: 41 }, (_, at) => at + 1)]
        .filter((number, at) => ![1, 21, 31].includes(number) && (number !== 11 || at === 0))
        .map((number) => `A${number}`);
      await expect.poll(() => line(page)).toEqual(expected);
      expect(faults).toEqual([]);
    });
  });

  describe("whose queues change", () => {
    const rename = (clinic: Clinic) =>
      service.store?.queues.change(clinic.id, clinic.queue("lab"), { name: "Blood tests" });

    test("loads the page again, with its message and Undo", async () => {
      const { clinic, page, front } = await open();
      await mark(page);
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await message(page).waitFor();
      await rename(clinic);
      await page.getByText("Blood tests").first().waitFor();
      expect(await isMarked(page)).toBe(false);
      expect(await message(page).textContent()).toBe("A7, Person urgent, was called.");
      await isLive(page);
      await page.locator("#flash").getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => line(page)).toEqual(["A7", "A5", "A6"]);
      await page.reload();
      expect(await message(page).count()).toBe(0);
    });

    test("loads the page again after the tap that is under way", async () => {
      const { clinic, page, front } = await open();
      calls.close();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await calls.reached(1);
      await rename(clinic);
      await page.getByText("Connecting…").waitFor();
      calls.open();
      await page.getByText("Blood tests").first().waitFor();
      expect(await message(page).textContent()).toBe("A7, Person urgent, was called.");
      expect(await line(page)).toEqual(["A5", "A6"]);
    });

    test("sends a tap while it waits for the one before", async () => {
      const { clinic, page, front } = await open();
      calls.close();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await calls.reached(1);
      await rename(clinic);
      await page.getByText("Connecting…").waitFor();
      await page.route("**/dashboard/board", async (route) => {
        await route.fallback();
        calls.open();
      });
      await front.getByRole("button", { name: "Complete A4" }).click();
      await page.getByText("Blood tests").first().waitFor();
      expect(await message(page).textContent()).toBe("A4, Person served, is completed.");
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
    });
  });

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
      await front.locator(".walk-in summary").click();
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
    test("redirects to the sign-in page", async () => {
      const { page, visitor } = await open();
      await visitor.submit("/dashboard/sign-out", { everywhere: "yes" });
      await isAtSignIn(page);
    });

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
      for (const { id } of (await own.store?.accounts.list(clinic.id)) ?? [])
        await own.store?.sessions.endAll(clinic.id, id);
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
    await page.locator(".menu summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(visits).toEqual(["/dashboard/sign-out", "/dashboard/sign-in"]);
  });

  describe("by keyboard alone", () => {
    test("calls, completes and opens a person's card, and never loses the focus", async () => {
      const { page, front } = await open();
      const focused = () => page.evaluate("document.activeElement.textContent.trim()");
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("To the content");
      await page.keyboard.press("Enter");
      for (let n = 0; n < 8; n++) await page.keyboard.press("Tab");
      expect(await focused()).toBe("Call next A7 Person urgent");
      await page.keyboard.press("Enter");
      await expect.poll(focused).toBe("Call next A5 Person first");
      await front.getByRole("button", { name: "Complete A7" }).waitFor();
      const row = [/^Complete$/, /^Call again$/, /^No-show$/];
      for (const next of [/^A4 /, ...row, /^A7 /, /^Complete$/]) {
        await page.keyboard.press("Tab");
        expect(await focused()).toMatch(next);
      }
      await page.keyboard.press("Enter");
      await front.getByRole("button", { name: "Complete A7" }).waitFor({ state: "detached" });
      await expect.poll(focused).toBe("Front desk");
      await front.getByRole("button", { name: "Call again A4" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("A4, Person served, was called again").waitFor();
      expect(await focused()).toBe("Call again");

      const person = front.getByRole("link", { name: /^A6 / });
      await person.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      expect(await focused()).toMatch(/^A6 /);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("Give priority");
      await page.keyboard.press("Enter");
      await expect.poll(() => line(page)).toEqual(["A6", "A5"]);
      await expect.poll(focused).toMatch(/^(A6|Call next)/);
    });
  });

  test("shows the names of one queue whole on a phone, in its button and its counts", async () => {
    const name = `${"Anantharaman ".repeat(6)}Iy`;
    const queues = [{ ref: "front", name: "Front desk", entries: [person("long", { name })] }];
    const { page, front } = await open({ queues }, { viewport: { width: 390, height: 844 } });
    await page.evaluate("document.fonts.ready");
    const sizeOf = async (selector: string) => front.locator(selector).boundingBox();
    const [button, label] = [await sizeOf("button.call"), await sizeOf("button.call .name")];
    expect(label?.width).toBeGreaterThan((button?.width ?? 0) * 0.8);
    for (const count of await front.locator(".counts .over").all())
      expect((await count.boundingBox())?.height).toBeLessThan(30);
    expect(await front.getByRole("heading", { level: 2 }).isVisible()).toBe(true);
  });

  test("begins with the queues near the top, and says how long new people wait", async () => {
    const entries = [
      person("waits", { minutesAgo: 31, service: "consult" }),
      person("behind", { minutesAgo: 30, service: "consult" }),
    ];
    const services = [{ ref: "consult", name: "Consultation", baseTimeMinutes: 15 }];
    const queues = [
      { ref: "front", name: "Front desk", entries },
      { ref: "lab", name: "Laboratory", tokenSeries: "L" },
    ];
    const { page, front } = await open({ queues, services });
    await page.setViewportSize({ width: 1280, height: 800 });
    expect((await front.boundingBox())?.y).toBeLessThan(180);
    expect(await front.locator(".counts").textContent()).toContain("Wait if new30 min");
  });

  test("opens the card of a person while the browser still goes back from the card before", async () => {
    const { page, front } = await open();
    await page.evaluate(
      "{ const go = history.back; history.back = () => (window.back = () => go.call(history)) }",
    );
    const dialog = page.getByRole("dialog");
    await front.getByRole("link", { name: /^A6 / }).click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.waitForFunction("window.back");
    const answer = page.waitForResponse(/\/people\//);
    await page.keyboard.press("Enter");
    await (await answer).finished();
    await page.evaluate(
      "new Promise((resolve) => { addEventListener('popstate', () => setTimeout(resolve)); back(); })",
    );
    await dialog.waitFor();
    await page.evaluate("history.back = History.prototype.back");
    await page.goBack();
    await dialog.waitFor({ state: "hidden" });
    expect(new URL(page.url()).pathname).toBe("/dashboard");
  });

  describe("without JavaScript", () => {
    test("performs all actions by page loads", async () => {
      const { page, front, faults } = await open(busyClinic, { javaScriptEnabled: false });
      expect(await page.getByRole("link", { name: "Reload" }).count()).toBe(1);
      expect(await page.locator("#live").isVisible()).toBe(false);
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      expect(await message(page).textContent()).toBe("A7 was called.");
      await front.getByRole("button", { name: "Complete A7" }).click();
      const choose = async (token: string, name: string) => {
        await front.getByRole("link", { name: new RegExp(`^${token} `) }).click();
        await page.getByRole("button", { name }).click();
      };
      await choose("A6", "Give priority");
      expect(await line(page)).toEqual(["A6", "A5"]);
      await choose("A6", "Cancel the token");
      await choose("A5", "No-show");
      await front.getByRole("button", { name: "Pause Front desk" }).click();
      await front.getByRole("button", { name: "Resume Front desk" }).click();
      await front.locator(".walk-in summary").click();
      await front.getByLabel("Phone").fill("12345");
      await front.getByRole("button", { name: "Add to the line" }).click();
      expect(await front.getByLabel("Phone").inputValue()).toBe("12345");
      await front.getByLabel("Phone").fill("+91 98000 00001");
      await front.getByRole("button", { name: "Add to the line" }).click();
      expect(await message(page).textContent()).toBe("A8 was added: place 1.");
      expect(await line(page)).toEqual(["A8"]);
      expect(faults).toEqual([]);
    });
  });

  test("fits a phone, a tablet and a wide screen, has large targets, and axe-core reports no violations", async () => {
    const { page, front } = await open(busyClinic, { reducedMotion: "reduce" });
    await front.locator(".walk-in summary").click();
    await front.getByLabel("Phone").fill("12345");
    await front.getByRole("button", { name: "Add to the line" }).click();
    await front.getByText("Enter the whole number").waitFor();
    await front.getByRole("button", { name: "Close Front desk" }).click();
    await message(page).waitFor();
    await expectFits(page, "the board", { targets: true });
    await front.getByRole("link", { name: /^A7 / }).click();
    await page.getByRole("dialog").waitFor();
    await expectFits(page, "a person's card");
  });
});
