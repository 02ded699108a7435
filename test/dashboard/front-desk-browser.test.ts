import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hashSecret, newSecret } from "../../server/src/rules/key.js";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { noBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { type BusinessSeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { overflowOf, violationsOf } from "./support/accessibility.js";
import { busyClinic, person } from "./support/board.js";
import { sharedBrowser, signedInPage } from "./support/browser.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";

const service = await testService();

describe.skipIf(noBrowser)(`a busy front desk${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const browser = sharedBrowser();
  const at = (path: string) => `${service.url}/dashboard${path}`;

  type Options = Parameters<typeof signedInPage>[2];

  async function open(seed: BusinessSeed = busyClinic, path = "", options: Options = {}) {
    const clinic = await service.clinic({ keys: [wideKey], ...seed });
    const visitor = await quicklySignedIn(service, clinic);
    const opened = await signedInPage(browser(), visitor, options);
    await opened.page.clock.install();
    await opened.page.goto(at(path));
    if (path === "") await isLive(opened.page);
    return { clinic, visitor, ...opened, front: opened.page.locator(`#queue-${clinic.queue()}`) };
  }

  async function openWithoutScripts() {
    const clinic = await service.clinic({ keys: [wideKey], ...busyClinic });
    const visitor = await quicklySignedIn(service, clinic);
    const opened = await signedInPage(browser(), visitor, { javaScriptEnabled: false });
    await opened.page.goto(at(""));
    return { clinic, ...opened };
  }

  const isLive = (page: Page) => page.locator("#live", { hasText: "Live" }).waitFor();
  const line = (page: Page) => page.locator("ol.line .token").allTextContents();
  const message = (page: Page) => page.locator("#flash .flash");
  const focused = (page: Page) => page.evaluate("document.activeElement.outerHTML");

  async function setCookies(page: Page, cookies: Iterable<readonly [string, string]>) {
    const place = { domain: new URL(service.url).hostname, path: "/dashboard" };
    const all = [...cookies].map(([name, value]) => ({ name, value, ...place }));
    await page.context().addCookies(all);
  }

  /** Signs the only owner of a clinic in again after a session has ended. */
  async function signInAgain(page: Page, clinic: Clinic) {
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    const [owner] = await service.store.accounts.list(clinic.id);
    if (!owner?.passwordHash) throw new Error("the clinic has no such owner");
    const secret = newSecret(randomBytes);
    const session = newOwnerSession(owner, hashSecret(secret), service.now());
    await service.store.sessions.start(clinic.id, session, owner.passwordHash);
    await setCookies(page, [["queue_api_session", secret]]);
    await page.reload();
  }

  describe("that taps twice", () => {
    test("calls one person, even though the button now calls the next one", async () => {
      const { page, front } = await open();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
      const next = front.getByRole("button", { name: /^Call next A5/ });
      await next.click({ force: true });
      await front.getByRole("button", { name: "Call A6" }).click({ force: true });
      await message(page).waitFor();
      await page.clock.fastForward(1_500);
      await next.click();
      await expect.poll(() => line(page)).toEqual(["A6"]);
    });

    test("completes one person, even though the row below has moved up", async () => {
      const { clinic, page, front } = await open();
      await service.owner.next(clinic.queue());
      await front.getByRole("button", { name: "Complete A7" }).waitFor();
      await front.getByRole("button", { name: "Complete A4" }).click();
      await front.getByRole("button", { name: "Complete A4" }).waitFor({ state: "detached" });
      await front.getByRole("button", { name: "Complete A7" }).click({ force: true });
      await page.clock.fastForward(1_500);
      expect(await front.getByRole("button", { name: "Complete A7" }).count()).toBe(1);
    });

    test("does not call a person who became next just before the tap", async () => {
      const { clinic, page, front } = await open();
      await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
      await service.owner.next(clinic.queue());
      await page.evaluate("dispatchEvent(new Event('online'))"); // as if a second had passed
      const next = front.getByRole("button", { name: /^Call next A5/ });
      await next.waitFor();
      await next.click({ force: true });
      await page.clock.fastForward(700);
      await page.clock.resume();
      await next.click();
      await expect.poll(() => line(page)).toEqual(["A6"]);
    });
  });

  describe("that has no network", () => {
    test.each([
      ["a button of the board", (page: Page) => page.locator("button.call").first().click()],
      ["a person", (page: Page) => page.locator("a.who").first().click()],
      ["another page", (page: Page) => page.getByRole("link", { name: "Keys" }).click()],
    ])("keeps the board when it taps %s", async (_, tap) => {
      const { page, context } = await open();
      await page.evaluate("window.marked = true");
      await context.setOffline(true);
      await page.getByText("Connection lost.").waitFor();
      await tap(page);
      await page.getByText("There is no connection to the server").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate("window.marked")).toBe(true);
      await context.setOffline(false);
      await isLive(page);
      await expect.poll(() => message(page).count()).toBe(0);
    });
  });

  describe("with a person's card open", () => {
    test("closes it by going back, and stays on the board", async () => {
      const { page, front } = await open();
      await front.getByRole("link", { name: /^A6 / }).click();
      await page.getByRole("dialog").waitFor();
      await page.goBack();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      expect(new URL(page.url()).pathname).toBe("/dashboard");
      await isLive(page);
    });

    test("shows changes of the person in the card, and keeps the focus", async () => {
      const { clinic, page, front } = await open();
      await front.getByRole("link", { name: /^A7 / }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "No-show" }).focus();
      await service.owner.next(clinic.queue());
      await dialog.getByText("In service").waitFor();
      expect(await focused(page)).toContain("<button");
    });
  });

  test("adds a person by keyboard, and moves the focus to the next name or to the field with an error", async () => {
    const { page, front } = await open();
    await front.getByText("Add a walk-in").click();
    await front.getByLabel("Name").fill("Walker");
    await front.getByRole("button", { name: "Add to the line" }).focus();
    await page.keyboard.press("Enter");
    await front.locator("ol.line").getByText("Walker").waitFor();
    await expect.poll(() => focused(page)).toContain('name="name"');
    await page.keyboard.type("Strider");
    await front.getByText("More details").click();
    await front.getByLabel("Phone").fill("12345");
    await front.getByRole("button", { name: "Add to the line" }).focus();
    await page.keyboard.press("Enter");
    await front.getByText("Enter the whole number").waitFor();
    await expect.poll(() => focused(page)).toContain('name="phone"');
  });

  describe("with twelve queues", () => {
    const queues = Array.from({ length: 12 }, (_, at) => ({
      ...{
        ref: at === 0 ? "front" : `q${at + 1}`,
        name: `Doctor ${at + 1}`,
        tokenSeries: "ABCDEFGHIJKL"[at] ?? "A",
      },
      entries: [person(`of ${at + 1}`)],
    }));

    test.each([
      [1280, 180],
      [390, 280],
    ])("begins with a card near the top at a width of %i", async (width, top) => {
      const { front } = await open({ queues }, "", { viewport: { width, height: 800 } });
      expect((await front.boundingBox())?.y).toBeLessThan(top);
    });

    test.each([
      { width: 1280, height: 640 },
      { width: 390, height: 664 },
    ])(
      "shows the buttons that call in the first cards at %j, with long names",
      async (viewport) => {
        const eight = queues
          .slice(0, 8)
          .map((queue) => ({ ...queue, name: `${queue.name}, Room of general medicine` }));
        const { page } = await open({ queues: eight }, "", { viewport });
        const inRow = viewport.width > 1_000 ? 3 : 1;
        for (let at = 0; at < inRow; at++) {
          const button = await page.locator("button.call").nth(at).boundingBox();
          expect((button?.y ?? 9_999) + (button?.height ?? 0)).toBeLessThan(viewport.height);
        }
      },
    );

    test("reaches the last queue with one tap on a phone", async () => {
      const { clinic, page } = await open({ queues }, "", {
        viewport: { width: 390, height: 844 },
        reducedMotion: "reduce",
      });
      await page.getByRole("link", { name: "Doctor 12" }).click();
      const call = page.locator(`#queue-${clinic.queue("q12")}`).getByRole("heading");
      await expect.poll(async () => (await call.boundingBox())?.y ?? 9_999).toBeLessThan(844);
      expect(await overflowOf(page)).toBe(0);
    });

    test("shows one queue alone, also after a reload", async () => {
      const { clinic, page } = await open({ queues });
      const shown = page.locator(".queue").filter({ visible: true });
      await page.locator("summary", { hasText: "This screen" }).click();
      for (let n = 1; n <= 12; n++)
        if (n !== 3)
          await page
            .locator(`#choice input`)
            .nth(n - 1)
            .uncheck();
      expect(await shown.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        "Doctor 3",
      ]);
      await page.reload();
      await isLive(page);
      expect(await shown.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        "Doctor 3",
      ]);
      await clinic.client().create(clinic.queue("q3"));
      await shown.getByText("C2").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.locator("summary", { hasText: "This screen" }).click();
      await page.getByRole("button", { name: "Show all" }).click();
      expect(await shown.count()).toBe(12);
    });
  });

  describe("that searches for a person", () => {
    test("finds the person by token, name or phone, also after a final status", async () => {
      const { page, front } = await open();
      const found = page.locator("#found .token");
      await page.keyboard.press("/");
      expect(await focused(page)).toContain('id="find"');
      for (const [typed, tokens] of [
        ["a1", ["A1"]],
        ["PERSÓN URG", ["A7"]],
        ["person", ["A1", "A2", "A3", "A4", "A5", "A6", "A7"]],
        ["98000 00001", ["A1", "A2", "A3", "A4", "A5", "A6", "A7"]],
        ["098000 00001", ["A1", "A2", "A3", "A4", "A5", "A6", "A7"]],
      ] as const) {
        await page.locator("#find").fill(typed);
        await page.clock.fastForward(200);
        await expect.poll(() => found.allTextContents()).toEqual(tokens);
      }
      await page.locator("#find").fill("Nobody");
      await page.clock.fastForward(200);
      await page.getByText("No customer of today matches.").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.locator("#find").fill("a1");
      await page.clock.fastForward(200);
      await page.locator("#found a.who").click();
      await page
        .getByRole("dialog")
        .locator("dd", { hasText: /^Completed$/ })
        .waitFor();
      await page.keyboard.press("Escape");
      await front.locator(".ended summary").click();
      await expect
        .poll(() => front.locator(".ended .token").allTextContents())
        .toEqual(["A3", "A2", "A1"]);
      await page.clock.fastForward(2_000);
      await front.getByRole("button", { name: "Complete A4" }).click();
      await expect.poll(() => front.locator(".ended .token").count()).toBe(4);
    });

    test("finds the person without scripts", async () => {
      const { page, clinic } = await openWithoutScripts();
      await page.locator("#find").fill("urgent");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/board/find?q=urgent");
      expect(await page.locator(".found .token").allTextContents()).toEqual(["A7"]);
      await page.goto(at(""));
      const card = page.locator(`#queue-${clinic.queue()}`);
      await card.locator(".ended summary").click();
      await card.getByRole("link", { name: "Show them" }).click();
      expect(await page.locator(".found .token").allTextContents()).toEqual(["A3", "A2", "A1"]);
    });
  });

  test("shows how long people wait, and highlights waits above the owner's limit", async () => {
    const { page, front, visitor } = await open({
      queues: [
        {
          ...{ ref: "front", name: "Front desk" },
          entries: [person("long", { minutesAgo: 79 }), person("short", { minutesAgo: 37 })],
        },
      ],
    });
    const waits = front.locator("ol.line .time");
    expect(await waits.allTextContents()).toEqual(["waiting 1 h 19", "waiting 37 min"]);
    expect(await front.locator(".time.long").count()).toBe(0);
    await visitor.submit("/dashboard/settings/long-wait", { longWaitMinutes: "60" });
    await page.reload();
    await isLive(page);
    expect(await front.locator(".time.long").allTextContents()).toEqual(["waiting 1 h 19"]);
    await page.clock.fastForward(23 * 60_000);
    await expect.poll(() => front.locator(".time.long").count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
  });

  describe("whose session ends", () => {
    test("restores the text that was typed on the board", async () => {
      const { clinic, page, front, visitor } = await open(busyClinic, "", {
        viewport: { width: 390, height: 400 },
      });
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Half typed");
      await front.getByText("More details").click();
      await front.getByLabel("Priority").check();
      await visitor.submit("/dashboard/sign-out");
      await signInAgain(page, clinic);
      await page.getByText("You had to sign in again.").waitFor();
      expect(await front.getByLabel("Name").inputValue()).toBe("Half typed");
      expect(await front.getByLabel("Priority").isChecked()).toBe(true);
      const top = async () => (await front.getByLabel("Name").boundingBox())?.y;
      await expect.poll(top).toBeGreaterThan(0);
      await expect.poll(top).toBeLessThan(400);
    });

    test("restores a form that was sent too late, and discards it when the page is left", async () => {
      const { clinic, page, visitor } = await open(busyClinic, "/appointments/new");
      await page.getByLabel("Name").fill("Half typed");
      await page.getByLabel("Minutes").press("Control+a"); // in Firefox, fill() adds to a number
      await page.keyboard.type("45");
      await page.getByLabel("Time").fill("11:00");
      await visitor.submit("/dashboard/sign-out");
      await page.getByRole("button", { name: "Make the appointment" }).click();
      await signInAgain(page, clinic);
      expect(new URL(page.url()).pathname).toBe("/dashboard/appointments/new");
      expect(await page.getByLabel("Name").inputValue()).toBe("Half typed");
      expect(await page.getByLabel("Minutes").inputValue()).toBe("45");
      await page.goto(at("/keys"));
      expect(await page.evaluate("sessionStorage.length")).toBe(0);
    });

    test("restores nothing for another owner, and keeps nothing after a sign-out", async () => {
      const { clinic, page, visitor } = await open(busyClinic, "/appointments/new");
      await page.getByLabel("Name").fill("Half typed");
      await visitor.submit("/dashboard/sign-out");
      await page.reload();
      const other = await quicklySignedIn(service, clinic);
      await setCookies(page, other.cookies);
      await page.reload();
      expect(await page.getByLabel("Name").inputValue()).toBe("");
      await page.getByLabel("Name").fill("Half typed");
      await page.locator(".top .menu summary").click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("You are signed out.").waitFor();
      expect(await page.evaluate("sessionStorage.length")).toBe(0);
    });
  });

  describe("with long names", () => {
    const long = "Wolfeschlegelsteinhausenbergerdorff".repeat(4).slice(0, 120);
    const seed: BusinessSeed = {
      ...busyClinic,
      name: long,
      services: [{ ref: "consult", name: long.slice(0, 100) }],
      appointments: [{ slotTime: "10:30", service: "consult", customer: { name: long } }],
    };

    test.each([390, 820, 1440])(
      "opens the page of each link, and signs out only by its button, %i pixels wide",
      async (width) => {
        const { page } = await open(seed, "", { viewport: { width, height: 800 } });
        for (const name of ["Audit log", "Appointments"]) {
          await page.getByRole("link", { name }).click();
          await page.getByRole("heading", { name: new RegExp(`^${name}`) }).waitFor();
          expect(await overflowOf(page), name).toBe(0);
        }
        await page.locator(".top .menu summary").click();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByText("You are signed out.").waitFor();
      },
    );

    test("finds appointments while a name is typed, after a slash, and keeps the list live", async () => {
      const visits = [
        { ref: "meera", slotTime: "10:30", customer: { name: "Meera" } },
        { ref: "ravi", slotTime: "11:00", customer: { name: "Ravi" } },
      ];
      const seed = { ...busyClinic, appointments: visits };
      const { page, clinic, visitor } = await open(seed, "/appointments");
      const rows = page.locator("#day tbody tr");
      expect(await rows.count()).toBe(2);
      await page.keyboard.press("/");
      await page.keyboard.type("meer");
      await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining("Meera")]);
      expect(await page.locator(":focus").inputValue()).toBe("meer");
      const path = `/dashboard/appointments/${clinic.appointment("meera")}/status`;
      await visitor.submit(path, { status: "NO_SHOW" });
      await expect.poll(() => rows.textContent()).toContain("No-show");
      expect(await violationsOf(page)).toEqual([]);
      await page.reload();
      expect(await rows.count()).toBe(1);
      await page.locator("#find").fill("");
      await expect.poll(() => rows.count()).toBe(2);
    });

    test("prints appointments on A4 with each column, and without forms", async () => {
      const { page } = await open(seed, "/appointments", {
        viewport: { width: 718, height: 1000 }, // A4 without its margins
      });
      await page.emulateMedia({ media: "print" });
      expect(await overflowOf(page)).toBe(0);
      expect(await page.locator("form").filter({ visible: true }).count()).toBe(0);
      expect(await page.locator("header").isVisible()).toBe(false);
    });
  });

  test("shows a colleague's changes on Appointments, and keeps the focus", async () => {
    const seed = { appointments: [{ ref: "visit", slotTime: "10:30" }, { slotTime: "11:00" }] };
    const { clinic, page, visitor } = await open({ ...busyClinic, ...seed }, "/appointments");
    await isLive(page);
    await page.getByRole("link", { name: /^11:00/ }).focus();
    await visitor.submit(`/dashboard/appointments/${clinic.appointment("visit")}/status`, {
      status: "CHECKED_IN",
    });
    await page.clock.fastForward(3_000);
    await page.getByText("Is here", { exact: true }).first().waitFor();
    expect(await focused(page)).toContain("11:00");
  });

  test("has its header at the same place on each page", async () => {
    const { page } = await open(busyClinic, "", { viewport: { width: 1440, height: 800 } });
    const places = new Set<number>();
    for (const path of ["", "/keys", "/statistics", "/queues"]) {
      await page.goto(at(path));
      places.add((await page.locator(".top .menu").boundingBox())?.x ?? 0);
    }
    expect(places.size).toBe(1);
  });
});
