import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser, rival, theBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { gate } from "../support/gate.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { busyClinic } from "./support/board.js";
import { signedInPage } from "./support/browser.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";

const rounds = Number(process.env.RACE_ROUNDS ?? 3);
const changes = gate();
const service = await testService({
  interpose: ({ entries }) => ({
    entries: {
      move: async (...request) => {
        await changes.pass();
        return entries.move(...request);
      },
    },
  }),
});

async function openBoard(browser: Browser, clinic: Clinic) {
  const { page, faults } = await signedInPage(browser, await quicklySignedIn(service, clinic));
  await page.clock.install();
  await page.goto(`${service.url}/dashboard`);
  await page.locator("#live", { hasText: "Live" }).waitFor();
  // From here on the page's time passes by `pass` alone, so that a stall of the machine ends no message or connection.
  await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
  return { page, faults };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/**
 * Runs a script in each page, and returns the message that each page shows. The store changes nothing until both
 * requests are there; otherwise a slow page would show the change of the other before its tap.
 */
async function race(taps: readonly (readonly [page: Page, script: string])[]): Promise<string[]> {
  const clear = `document.querySelector("#flash").replaceChildren();`;
  await Promise.all(taps.map(([page]) => page.evaluate(clear)));
  changes.close();
  await Promise.all(taps.map(([page, script]) => page.evaluate(script)));
  await changes.reached(taps.length);
  changes.open();
  const messages = taps.map(([page]) => page.locator("#flash p").first().textContent());
  return (await Promise.all(messages)).map((text) => text ?? "");
}

const pass = (pages: readonly Page[], milliseconds: number) =>
  Promise.all(pages.map((page) => page.clock.fastForward(milliseconds)));

/** Lets the time pass for which a tap locks the buttons of its kind. */
const unlock = (pages: readonly Page[]) => pass(pages, 1_500);

describe.skipIf(noBrowser)(`two desks${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  test(`that race on one person ${rounds} times never call a second person or lose an undo`, {
    timeout: 300_000 + rounds * 5_000,
  }, async () => {
    const clinic = await service.clinic({ keys: [wideKey], ...busyClinic });
    const desks = [
      await openBoard(await theBrowser(), clinic),
      await openBoard(await theBrowser(rival), clinic),
    ];
    const pages = desks.map(({ page }) => page);
    const id = clinic.entry("urgent");
    const status = async () => (await service.store.entries.get(clinic.id, id))?.entry.status;
    const won = { undo: 0, complete: 0 };

    for (let round = 0; round < rounds; round++) {
      service.clock.advance({ seconds: 1 }); // a session can make at most 300 changes a minute
      const isNext = (page: Page) =>
        page.locator(".call:not([aria-disabled])", { hasText: "A7" }).isVisible();
      const areReady = async () => {
        await pass(pages, 100); // a change of the next person locks the button for a shorter time
        return Promise.all(pages.map(isNext));
      };
      await expect.poll(areReady).toEqual([true, true]);
      const twice = `for (let n = 0; n < 2; n++) document.querySelector(".call").click()`;
      const called = await race(pages.map((page) => [page, twice]));
      expect(called.toSorted(), `round ${round}`).toEqual([
        "A7 was called already. Nothing was changed.",
        "A7, Person urgent, was called.",
      ]);
      const { data } = await clinic.client().entries(clinic.queue(), { status: "IN_SERVICE" });
      expect(data.map(({ token }) => token).toSorted(), `round ${round}`).toEqual(["A4", "A7"]);
      await unlock(pages);

      const caller = pages[called.indexOf("A7, Person urgent, was called.")] as Page;
      const other = pages.find((page) => page !== caller) as Page;
      await button(caller, "Complete A7").waitFor();
      await button(other, "Complete A7").waitFor();
      await caller.getByRole("link", { name: /^A7 / }).click();
      await caller.getByRole("dialog").waitFor();
      const taps = [
        [caller, `document.querySelector('#person-card [name="undo"]').click()`],
        [other, `document.querySelector('[name="complete"][value^="${id}"]').click()`],
      ] as const;
      // Each of the two is sent first in half of the rounds.
      const isUndoFirst = round % 2 === 0;
      const [first = "", second = ""] = await race(isUndoFirst ? taps : taps.toReversed());
      const [undone, done] = isUndoFirst ? [first, second] : [second, first];
      await unlock(pages);
      const isUndone = undone === "A7, Person urgent, waits in the same place again.";
      expect(
        [isUndone, done === "A7, Person urgent, is completed."],
        `${undone} / ${done}`,
      ).toEqual([isUndone, !isUndone]);
      expect(isUndone ? done : undone, `round ${round}`).toMatch(
        /Nothing was changed|changed by another person/,
      );
      expect(await status(), `round ${round}`).toBe(isUndone ? "WAITING" : "COMPLETED");
      won[isUndone ? "undo" : "complete"]++;
      if (!isUndone) {
        await other.locator("#flash").getByRole("button", { name: "Undo" }).click();
        await button(other, "Complete A7").waitFor();
        await other.getByRole("link", { name: /^A7 / }).click();
        await button(other, "Undo the call").click();
        await unlock(pages);
      }
    }
    console.log(`of ${rounds} races between undo and completion, undo won ${won.undo}`);
    for (const { faults } of desks) expect(faults).toEqual([]);
  });
});
