import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import { type Service, testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { busyClinic, person } from "./support/board.js";
import { signedInPage } from "./support/browser.js";
import { displayOf } from "./support/display.js";
import { isMarked, mark, setHidden } from "./support/open-board.js";
import { restartableService } from "./support/restartable.js";
import { visitorOf } from "./support/visitor.js";

const service = await testService();

describe.skipIf(noBrowser)(`the waiting-room display${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  /** Opens the display of a new clinic in the browser of a stranger. */
  async function open(on: Service = service, seed = busyClinic, options = {}) {
    const made = await displayOf(on, seed);
    const { clinic, link } = made;
    const opened = await signedInPage(visitorOf(on), { reducedMotion: "reduce", ...options });
    await opened.page.goto(link);
    const transition = (ref: string, verb: "call" | "call-again" | "complete", counter?: string) =>
      on.store.entries.transition(clinic.id, clinic.entry(ref), verb, on.now(), {
        ...(counter && { counter }),
      });
    return { ...made, ...opened, transition };
  }

  const called = (page: Page) => page.locator("[data-call] b").allTextContents();
  const chimes = (page: Page) => page.locator("#display").getAttribute("data-chimes");
  const lost = (page: Page) => page.getByText("Not live since");
  /** Counts the elements that are wider than their place. */
  const cut = (selector: string) =>
    `[...document.querySelectorAll("${selector}")].filter((one) => one.scrollWidth > one.clientWidth).length`;

  test("shows each call at once with its counter, and chimes for calls alone", async () => {
    const { clinic, page, faults, transition } = await open();
    expect(await called(page)).toEqual(["A4"]);
    await transition("urgent", "call", "Counter 2");
    await page.locator("[data-call]", { hasText: "A7 Counter 2" }).waitFor();
    await clinic.client().create(clinic.queue());
    await page.getByText("3 waiting").waitFor();
    expect(await chimes(page)).toBe("1");
    service.clock.advance({ minutes: 1 });
    await transition("served", "call-again");
    await expect.poll(() => called(page)).toEqual(["A4", "A7"]);
    await transition("urgent", "complete");
    await expect.poll(() => called(page)).toEqual(["A4"]);
    expect(await chimes(page)).toBe("2");
    await page.reload();
    expect(await called(page)).toEqual(["A4"]);
    expect(await page.content()).not.toContain("Person");
    expect(faults).toEqual([]);
  });

  test("frames a call for half a minute, and can be read at each moment of it", async () => {
    const { clinic, page } = await open();
    await page.clock.install();
    const framed = page.locator("[data-call].new");
    for (const [token, reducedMotion, animated] of [
      ["A7", "no-preference", ["boxShadow"]],
      ["A5", "reduce", []],
    ] as const) {
      await page.emulateMedia({ reducedMotion });
      await service.owner.next(clinic.queue());
      await framed.filter({ hasText: token }).waitFor();
      const properties = await page.evaluate<string[]>(`document.getAnimations()
        .flatMap(({ effect }) => effect.getKeyframes().flatMap(Object.keys))
        .filter((name) => !["offset", "computedOffset", "easing", "composite"].includes(name))`);
      expect([...new Set(properties)]).toEqual(animated); // no color of the text, or behind it
    }
    await clinic.client().create(clinic.queue());
    await page.getByText("2 waiting").waitFor();
    expect(await framed.count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    await page.clock.fastForward(30_000);
    expect(await framed.count()).toBe(0);
  });

  test("follows the choice of its queues without a hand, and turns off at once when its link is revoked", async () => {
    const { clinic, page, visitor } = await open();
    const heading = (name: string) => page.getByRole("heading", { name });
    await heading("Front desk").waitFor();
    const options = { theme: "", size: "", queue: clinic.queue("lab") };
    await visitor.submit("/dashboard/settings/display/options", options);
    await heading("Front desk").waitFor({ state: "detached" });
    await heading("Laboratory").waitFor();
    await visitor.submit("/dashboard/settings/display/revoke");
    await heading("This display is off").waitFor();
  });

  test("shows since when it is not live, and shows the next day's calls without a page load", async () => {
    const { service: own, stop, start } = await restartableService();
    const { clinic, page } = await open(own);
    await mark(page);
    await stop();
    await lost(page).waitFor();
    own.clock.advance({ hours: 24 });
    await start();
    await lost(page).waitFor({ state: "hidden" });
    await expect.poll(() => called(page)).toEqual([]);
    await clinic.client().create(clinic.queue());
    await own.owner.next(clinic.queue());
    await expect.poll(() => called(page)).toEqual(["A1"]);
    expect(await isMarked(page)).toBe(true);
  });

  test("says since when it is not live also after the screen was off", async () => {
    const { page, context } = await open();
    await page.clock.install();
    await context.setOffline(true);
    await lost(page).waitFor();
    const said = await lost(page).textContent();
    await page.clock.fastForward(3_600_000);
    for (const hidden of [true, false]) await setHidden(page, hidden);
    await page.waitForEvent("requestfailed");
    await page.evaluate("new Promise(requestAnimationFrame)");
    expect(await lost(page).textContent()).toBe(said);
  });

  test("shows all of eight queues on a television, and leaves out a closed one", async () => {
    const long = "Physiotherapy and rehabilitation of the back, second floor, room 12";
    const names = [long, "Doctor 1", "Lab", "X-ray", "Cash", "Nurse", "Dentist", "Eyes", "Closed"];
    const queues = names.map((name, at) => ({
      name,
      tokenSeries: "ABCDEFGHI"[at] ?? "",
      isActive: name !== "Closed",
      entries: name === "Closed" ? [] : [1, 2, 3, 4, 5, 6, 7].map((n) => person(`${at}-${n}`)),
    }));
    const viewport = { width: 1920, height: 1080 };
    const { page, context, transition } = await open(service, { queues }, { viewport });
    for (let at = 0; at < 8; at++)
      for (const n of at === 1 ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 4])
        await transition(`${at}-${n}`, "call", `Counter ${n}`);
    await page.reload();
    const height = () => page.evaluate("document.documentElement.scrollHeight");
    await expect.poll(height).toBeLessThanOrEqual(1080);
    expect(await page.evaluate(cut("h2"))).toBe(0);
    expect(await called(page)).toHaveLength(34);
    expect(await page.getByRole("heading", { level: 2 }).filter({ visible: true }).count()).toBe(8);
    const size = await page.evaluate(
      "parseFloat(getComputedStyle(document.querySelector('.called b')).fontSize)",
    );
    expect(size).toBeGreaterThan(40);
    await context.setOffline(true);
    await lost(page).waitFor();
    expect(await height()).toBeLessThanOrEqual(1080);
  });

  test.each([1920, 360])("shows long tokens whole at %i pixels", async (width) => {
    const queues = ["RADIOLOGYX", "XRAY", "LAB", "A"].map((name) => {
      return { name, tokenSeries: name, entries: [person(name)] };
    });
    const viewport = { width, height: 1080 };
    const { page, transition } = await open(service, { queues }, { viewport });
    for (const { name } of queues) await transition(name, "call");
    await expect.poll(() => called(page)).toHaveLength(4);
    await expect.poll(() => page.evaluate(cut(":root, .called li"))).toBe(0);
  });
});
