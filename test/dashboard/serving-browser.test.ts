import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import { testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { boardOpener, isLive, line, message } from "./support/open-board.js";

const service = await testService();

describe.skipIf(noBrowser)(
  `serving people in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  () => {
    const { open } = boardOpener(service);
    const undo = (page: Page) => page.locator("#flash").getByRole("button", { name: "Undo" });

    /** Presses a button in a person's card. */
    async function choose(page: Page, token: string, name: string) {
      const link = page.getByRole("link", { name: new RegExp(`^${token} `) });
      await link.click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name, exact: true }).click();
      await dialog.waitFor({ state: "hidden" });
    }

    test("undoes a call, a no-show and a completion, and keeps the person's place", async () => {
      const { page, front, faults } = await open();
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await expect.poll(() => message(page).textContent()).toBe("A7, Person urgent, was called.");
      await undo(page).click();
      await expect
        .poll(() => message(page).textContent())
        .toBe("A7, Person urgent, waits in the same place again.");
      await expect.poll(() => line(page)).toEqual(["A7", "A5", "A6"]);
      expect(await page.evaluate("document.activeElement.id")).toBe("content");

      await choose(page, "A5", "No-show");
      await expect.poll(() => line(page)).toEqual(["A7", "A6"]);
      await undo(page).click();
      await expect.poll(() => line(page)).toEqual(["A7", "A5", "A6"]);

      await front.getByRole("button", { name: "Complete A4" }).click();
      await expect.poll(() => message(page).textContent()).toBe("A4, Person served, is completed.");
      expect(await violationsOf(page)).toEqual([]);
      await undo(page).click();
      await front.getByRole("button", { name: "Complete A4" }).waitFor();
      expect(faults).toEqual([]);
    });

    test.each([
      ["moves visibly to the people in service", "no-preference", true],
      ["does not move visibly when motion is reduced", "reduce", false],
    ] as const)("shows a called person, who %s", async (_, reducedMotion, moves) => {
      const { page, front } = await open();
      await page.emulateMedia({ reducedMotion });
      await page.evaluate(`{
        window.animated = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (frames, options) {
          animated.push([this.querySelector(".token")?.textContent, this.parentElement.className, ...frames, options.duration]);
          return animate.call(this, frames, options);
        };
      }`);
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await front.getByRole("button", { name: "Complete A7" }).waitFor();
      const animated = (await page.evaluate("window.animated")) as unknown[][];
      if (!moves) return expect(animated).toEqual([]);
      const [token, list, from, to, milliseconds] = animated[0] ?? [];
      expect(animated).toHaveLength(1);
      expect([token, list]).toEqual(["A7", "people serving"]);
      const [, down] = /translate\([-\d.]+px, ([-\d.]+)px\)/.exec(JSON.stringify(from)) ?? [];
      expect(Number(down)).toBeGreaterThan(20); // from below, where the line is
      expect(to).toEqual({ transform: "none" });
      expect(milliseconds).toBeGreaterThan(100);
      await expect.poll(() => page.evaluate("document.getAnimations().length")).toBe(0);
    });

    test("offers an undo for ten seconds, and in the person's card after that", async () => {
      const { page, front } = await open();
      await page.clock.install();
      await front.getByRole("button", { name: "Call A5" }).click();
      await undo(page).waitFor();
      await page.clock.runFor(9_000);
      expect(await undo(page).count()).toBe(1);
      await page.clock.runFor(1_500);
      expect(await undo(page).count()).toBe(0);
      await page.clock.resume();
      await choose(page, "A5", "Undo the call");
      await expect.poll(() => line(page)).toEqual(["A7", "A5", "A6"]);
    });

    test("calls again to a named counter, marks a no-show, and requeues a person", async () => {
      const { page, front, faults } = await open();
      await page.locator("summary", { hasText: "This screen" }).click();
      await page.getByLabel("Counter").fill("counter 2");
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => message(page).textContent()).toBe("This browser calls to counter 2.");
      await isLive(page);
      await front.getByRole("button", { name: "Call A5" }).click();
      await expect
        .poll(() => message(page).textContent())
        .toBe("A5, Person first, was called, counter 2.");
      await choose(page, "A5", "Call again");
      const served = front.getByRole("link", { name: /^A5 / });
      await expect.poll(() => served.textContent()).toMatch(/Called 2 times.*counter 2/);
      await choose(page, "A5", "Back to the line");
      await expect.poll(() => line(page)).toEqual(["A7", "A5", "A6"]);
      await choose(page, "A4", "No-show");
      await expect.poll(() => front.locator(".counts").textContent()).toContain("No-show2");
      expect(faults).toEqual([]);
    });
  },
);
