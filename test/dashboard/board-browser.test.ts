import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { testService } from "../support/service.js";
import { overflowOf, violationsOf } from "./support/accessibility.js";
import { busyClinic, person } from "./support/board.js";
import {
  boardOpener,
  dialogOf,
  focused,
  inLine,
  isLive,
  isMarked,
  line,
  mark,
  message,
  said,
  slowly,
  undo,
} from "./support/open-board.js";

const calls = gate();
const service = await testService({
  interpose: held("entries", "transition", {
    before: calls,
    when: (_business, _entry, transition) => transition === "next",
  }),
});

describe.skipIf(noBrowser)(`the board in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const { at, open } = boardOpener(service);

  describe("live", () => {
    test("shows changes without a page load, and keeps the typed text and the focus", async () => {
      const { clinic, page, front, faults } = await open();
      await mark(page);
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").pressSequentially("Half a n");
      await clinic.client().create(clinic.queue(), { name: "Newcomer", phone: "919800000003" });
      await front.getByText("Newcomer").waitFor();
      await page.keyboard.type("ame");
      expect(await front.getByLabel("Name").inputValue()).toBe("Half a name");
      expect(await line(page)).toEqual(["A7", "A5", "A6", "A8"]);
      await front.getByRole("button", { name: /^Call next/ }).click();
      await front.getByRole("button", { name: "Complete A7" }).click();
      await said(page).toBe("A7, Person urgent, is completed.");
      await expect.poll(() => front.locator(".counts").textContent()).toContain("Completed2");
      expect(await isMarked(page)).toBe(true);
      expect(faults).toEqual([]);
    });

    test("shows how long people wait, and highlights waits above the owner's limit", async () => {
      const entries = [person("long", { minutesAgo: 79 }), person("short", { minutesAgo: 37 })];
      const queues = [{ ref: "front", name: "Front desk", entries }];
      const { page, front, visitor } = await open({ queues });
      await page.clock.install();
      const waits = front.locator("ol.line .time");
      expect(await waits.allTextContents()).toEqual(["waiting 1 h 19", "waiting 37 min"]);
      await visitor.submit("/dashboard/settings/long-wait", { longWaitMinutes: "60" });
      await page.reload();
      await isLive(page);
      expect(await front.locator(".time.long").allTextContents()).toEqual(["long wait, 1 h 19"]);
      await page.clock.fastForward(23 * 60_000);
      await expect.poll(() => front.locator(".time.long").count()).toBe(2);
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  describe("that is tapped", () => {
    test("twice calls one person, even though the button now calls the next one", async () => {
      const { page, front } = await open();
      await page.clock.install();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await inLine(page).toEqual(["A5", "A6"]);
      const next = front.getByRole("button", { name: /^Call next A5/ });
      await next.click({ force: true });
      await front.getByRole("button", { name: "Call A6" }).click({ force: true });
      await message(page).waitFor();
      await page.clock.fastForward(1_500);
      await next.click();
      await inLine(page).toEqual(["A6"]);
    });

    test("does not call a person who became next just before the tap", async () => {
      const { clinic, page, front } = await open();
      await page.clock.install();
      await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
      await service.owner.next(clinic.queue());
      await page.evaluate("dispatchEvent(new Event('online'))"); // as if a second had passed
      const next = front.getByRole("button", { name: /^Call next A5/ });
      await next.waitFor();
      await next.click({ force: true });
      await page.clock.fastForward(700);
      await page.clock.resume();
      await next.click();
      await inLine(page).toEqual(["A6"]);
    });

    test("acts on no other person whom a colleague's change puts under the finger", async () => {
      const served = ["one", "two"].map((ref) => person(ref, { status: "IN_SERVICE" }));
      const queues = [{ ref: "front", name: "Front desk", entries: served }];
      const { clinic, page, front } = await open({ queues });
      await page.clock.install();
      await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
      const second = front.getByRole("button", { name: "Complete A2" });
      await service.owner.serve(clinic.entry("one"), "complete");
      await page.evaluate("dispatchEvent(new Event('online'))"); // as if a second had passed
      await front.getByRole("button", { name: "Complete A1" }).waitFor({ state: "detached" });
      await second.click({ force: true });
      await page.clock.fastForward(700);
      expect(await second.getAttribute("aria-disabled")).toBeNull();
      await page.clock.resume();
      expect((await clinic.client().entry(clinic.entry("two"))).data.status).toBe("IN_SERVICE");
      await second.click();
      await second.waitFor({ state: "detached" });
    });

    test("acts on nobody while one change after another moves what is under the finger", async () => {
      const served = ["one", "two", "three"].map((ref) => person(ref, { status: "IN_SERVICE" }));
      const queues = [{ ref: "front", name: "Front desk", entries: served }];
      const { clinic, page, front } = await open({ queues });
      await page.clock.install();
      await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
      const complete = (token: string) => front.getByRole("button", { name: `Complete ${token}` });
      const isMoved = async (ref: string, token: string) => {
        await service.owner.serve(clinic.entry(ref), "complete");
        await page.evaluate("dispatchEvent(new Event('online'))"); // as if a second had passed
        await complete(token).waitFor({ state: "detached" });
      };
      await isMoved("one", "A1");
      await page.clock.fastForward(500);
      await isMoved("two", "A2");
      await page.clock.fastForward(300);
      expect(await complete("A3").getAttribute("aria-disabled")).toBe("true");
      await page.clock.fastForward(400);
      expect(await complete("A3").getAttribute("aria-disabled")).toBeNull();
    });

    test("acts on nobody whom a list that has just been loaded puts under the finger", async () => {
      const entries = ["one", "two", "three"].map((ref) => person(ref));
      const lab = { ref: "lab", name: "Laboratory", tokenSeries: "L", entries };
      const ended = ["a", "b"].map((ref) => person(ref, { status: "COMPLETED" }));
      const queues = [{ ref: "front", name: "Front desk", entries: ended }, lab];
      const { page, front } = await open({ queues }, { viewport: { width: 390, height: 1600 } });
      await page.clock.install();
      await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
      await front.getByText("Ended today").click();
      await front.getByText("Person b").waitFor();
      const call = page.getByRole("button", { name: /^Call next L1/ });
      expect(await call.getAttribute("aria-disabled")).toBe("true");
      await page.clock.fastForward(700);
      expect(await call.getAttribute("aria-disabled")).toBeNull();
    });

    test("says when to try again after too many changes, and keeps the typed text", async () => {
      const { page, front } = await open();
      await page.route("**/walk-in", (route) =>
        route.fulfill({ status: 429, headers: { "Retry-After": "7" } }),
      );
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Anna");
      await front.getByRole("button", { name: "Add to the line" }).click();
      await said(page).toMatch(/too many changes .* Try again in 7 s\./);
      expect(await front.getByLabel("Name").inputValue()).toBe("Anna");
    });

    test("shows a called person, who moves visibly unless motion is reduced", async () => {
      const { clinic, page, front } = await open();
      await page.evaluate(`
        const { animate } = Element.prototype;
        Element.prototype.animate = function (frames, options) {
          window.moved = [this.querySelector(".token").textContent, ...frames];
          return animate.call(this, frames, options);
        };
      `);
      for (const [token, reducedMotion, moved] of [
        ["A7", "reduce", null],
        ["A5", "no-preference", ["A5", expect.any(Object), { transform: "none" }]],
      ] as const) {
        await page.emulateMedia({ reducedMotion });
        await service.owner.next(clinic.queue());
        await front.getByRole("button", { name: `Complete ${token}` }).waitFor();
        expect(await page.evaluate("window.moved ?? null")).toEqual(moved);
      }
    });
  });

  test("offers an undo for ten seconds, and in the person's card after that", async () => {
    const { page, front, faults } = await open();
    await page.clock.install();
    await front.getByRole("button", { name: "Call A5" }).click();
    await undo(page).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await undo(page).click();
    await said(page).toBe("A5, Person first, waits in the same place again.");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.clock.fastForward(2_000);
    await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
    await front.getByRole("button", { name: "Call A5" }).click();
    await undo(page).waitFor();
    await page.clock.runFor(9_000);
    expect(await undo(page).count()).toBe(1);
    await page.clock.runFor(1_500);
    expect(await undo(page).count()).toBe(0);
    await page.clock.resume();
    await page.getByRole("link", { name: /^A5 / }).click();
    await dialogOf(page).getByRole("button", { name: "Undo the call" }).click();
    await inLine(page).toEqual(["A7", "A5", "A6"]);
    expect(faults).toEqual([]);
  });

  describe("with a person's card open", () => {
    test("shows the person of the last click, and no card over what came after it", async () => {
      const { clinic, page, front } = await open();
      const dialog = dialogOf(page);
      const slow = await slowly(page, `**/people/${clinic.entry("first")}`);
      const openSlow = () => slow.send(() => front.getByRole("link", { name: /^A5 / }).click());
      const first = await openSlow();
      await front.getByRole("link", { name: /^A6 / }).click();
      await dialog.getByRole("heading", { name: "A6" }).waitFor();
      await slow.arrive(first);
      expect(await dialog.getByRole("heading").first().textContent()).toMatch(/^A6/);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      const second = await openSlow();
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Ann");
      await slow.arrive(second);
      expect(await dialog.count()).toBe(0);
      expect(await focused(page)).toContain('name="name"');
    });

    test("moves a person to no other queue than the chosen one, and acts beside a choice that is gone", async () => {
      const more = ["Cash", "X-ray"].map((name) => ({ ref: name, name }));
      const queues = [...(busyClinic.queues ?? []), ...more];
      const { clinic, page, faults } = await open({ queues });
      const dialog = dialogOf(page);
      const target = dialog.getByLabel("Another queue");
      await page.getByRole("link", { name: /^A5 / }).click();
      await target.selectOption("X-ray");
      for (const { name } of more) {
        expect(await target.inputValue()).toBe(clinic.queue("X-ray"));
        await service.owner.setQueue(clinic.queue(name), "pause");
        await target.locator("option", { hasText: name }).waitFor({ state: "detached" });
      }
      await dialog.getByRole("button", { name: "Move there" }).click();
      expect(await dialog.isVisible()).toBe(true); // nothing is chosen, so nothing was sent
      const advice = target.evaluate((list) => Reflect.get(list, "validationMessage"));
      expect(await advice).toContain("Choose again");
      await dialog.getByRole("button", { name: "Give priority" }).click(); // needs no queue
      await inLine(page).toEqual(["A5", "A7", "A6"]);
      await page.getByRole("link", { name: /^A5 / }).click();
      await dialog.getByRole("button", { name: "Move there" }).click();
      await inLine(page).toEqual(["A7", "A6", "L1"]);
      expect(faults).toEqual([]);
    });
  });

  test("loads the page again when its queues change, after the taps under way, with message and Undo", async () => {
    const { clinic, page, front } = await open();
    await mark(page);
    calls.close();
    await front.getByRole("button", { name: /^Call next A7/ }).click();
    await calls.reached(1);
    await service.store.queues.change(clinic.id, clinic.queue("lab"), { name: "Blood tests" });
    await page.getByText("Connecting…").waitFor();
    await page.route("**/dashboard/board", async (route) => {
      await route.fallback();
      calls.open();
    });
    await front.getByRole("button", { name: "Complete A4" }).click();
    await page.getByRole("heading", { name: "Blood tests" }).waitFor();
    expect(await isMarked(page)).toBe(false);
    expect(await message(page).textContent()).toBe("A4, Person served, is completed.");
    await inLine(page).toEqual(["A5", "A6"]);
    await isLive(page);
    await undo(page).click();
    await front.getByRole("button", { name: "Complete A4" }).waitFor();
    await page.reload();
    expect(await message(page).count()).toBe(0);
  });

  test("is used by the keyboard alone, and never loses the focus", async () => {
    const { page, front } = await open();
    const focusedText = () => page.evaluate("document.activeElement.textContent.trim()");
    await page.keyboard.press("Tab");
    expect(await focusedText()).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    for (let n = 0; n < 7; n++) await page.keyboard.press("Tab");
    expect(await focusedText()).toBe("Call next A7 Person urgent");
    await page.keyboard.press("Enter");
    await expect.poll(focusedText).toBe("Call next A5 Person first");
    await front.getByRole("button", { name: "Complete A7" }).waitFor();
    for (const next of ["A4", "Complete", "Call again", "No-show", "A7", "Complete"]) {
      await page.keyboard.press("Tab");
      expect(await focusedText()).toMatch(new RegExp(`^${next}`));
    }
    await page.keyboard.press("Enter");
    await front.getByRole("button", { name: "Complete A7" }).waitFor({ state: "detached" });
    await expect.poll(focusedText).toBe("Front desk");
    await front.getByRole("button", { name: "Call again A4" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("A4, Person served, was called again").waitFor();
    expect(await focusedText()).toBe("Call again");
    await front.getByRole("link", { name: /^A6 / }).focus();
    await page.keyboard.press("Enter");
    await dialogOf(page).waitFor();
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "hidden" });
    expect(await focusedText()).toMatch(/^A6 /);
    await page.keyboard.press("Enter");
    await dialogOf(page).waitFor();
    expect(await focusedText()).toMatch(/^A6/); // a further Enter does nothing
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focusedText()).toBe("Give priority");
    await page.keyboard.press("Enter");
    await inLine(page).toEqual(["A6", "A5"]);
    await expect.poll(focusedText).toMatch(/^(A6|Call next)/);
  });

  test("shows one of four queues alone, also after a reload, or reaches the last with one tap", async () => {
    const queues = ["front", "q2", "q3", "q4"].map((ref, n) => {
      const tokenSeries = "ABCD"[n] ?? "";
      return { ref, name: `Doctor ${n + 1}`, tokenSeries, entries: [person(ref)] };
    });
    const viewport = { width: 390, height: 844 };
    const { clinic, page } = await open({ queues }, { viewport, reducedMotion: "reduce" });
    await page.getByRole("link", { name: "Doctor 4" }).click();
    const last = page.locator(`#queue-${clinic.queue("q4")}`).getByRole("heading");
    await expect.poll(async () => (await last.boundingBox())?.y ?? 9_999).toBeLessThan(844);
    expect(await overflowOf(page)).toBe(0);

    const shown = page.locator(".queue").filter({ visible: true });
    const names = () => shown.getByRole("heading", { level: 2 }).allTextContents();
    await page.goto(at());
    const screen = page.locator("summary", { hasText: "This screen" });
    await screen.click();
    for (const n of [1, 2, 4]) await page.locator("#choice").getByLabel(`Doctor ${n}`).uncheck();
    expect(await names()).toEqual(["Doctor 3"]);
    await page.reload();
    await isLive(page);
    expect(await names()).toEqual(["Doctor 3"]);
    await clinic.client().create(clinic.queue("q3"));
    await shown.getByText("C2").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await screen.click();
    await page.getByRole("button", { name: "Show all" }).click();
    expect(await shown.count()).toBe(4);
  });
});
