import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { person } from "./support/board.js";
import {
  boardOpener,
  dialogOf,
  focused,
  isLive,
  isMarked,
  line,
  mark,
  said,
  slowly,
} from "./support/open-board.js";

const service = await testService();

describe.skipIf(noBrowser)(
  `what is typed on the board${noBrowser ? ` (${noBrowser})` : ""}`,
  () => {
    const { open } = boardOpener(service);

    test("adds several walk-ins by the keyboard alone, and moves the focus to the next name or to the field with an error", async () => {
      const { page, front } = await open();
      await front.getByText("Add a walk-in").click();
      await front.getByText("More details").click();
      await front.getByLabel("Service").selectOption("Consultation");
      for (const name of ["Walker", "Strider"]) {
        await front.getByLabel("Name").fill(name);
        await front.getByRole("button", { name: "Add to the line" }).focus();
        await page.keyboard.press("Enter");
        await front.locator("ol.line").getByText(name).waitFor();
        await expect.poll(() => front.getByLabel("Name").inputValue()).toBe("");
        await expect.poll(() => focused(page)).toContain('name="name"');
        await page.keyboard.press("Enter"); // adds nobody: the form is empty
      }
      await front.getByText("More details").click();
      expect(await front.getByLabel("Service").inputValue()).toBe("");
      await front.getByLabel("Phone").fill("12345");
      await page.keyboard.press("Enter");
      await front.getByText("Enter the whole number").waitFor();
      await expect.poll(() => focused(page)).toContain('name="phone"');
      expect(await line(page)).toEqual(["A7", "A5", "A6", "A8", "A9"]);
    });

    test("keeps a walk-in that is typed while the one before it is under way", async () => {
      const { page, front } = await open();
      const slow = await slowly(page, "**/walk-in");
      await front.getByText("Add a walk-in").click();
      const name = front.getByLabel("Name");
      await name.fill("Anna");
      const first = await slow.send(() => page.keyboard.press("Enter"));
      const isDimmed = () =>
        front.getByRole("button", { name: "Add to the line" }).getAttribute("aria-disabled");
      expect(await isDimmed()).toBe("true");
      await name.fill("Ben");
      await front.getByText("More details").click();
      await front.getByLabel("Phone").fill("12");
      await front.getByLabel("Priority").check();
      await name.press("Enter");
      await slow.arrive(first);
      await said(page).toContain("Anna"); // before the response, another press is ignored
      expect(await isDimmed()).toBe(null);
      expect(await name.inputValue()).toBe("Ben");
      expect(await front.getByLabel("Priority").isChecked()).toBe(true);
      await expect.poll(() => focused(page)).toContain('name="name"');
      const second = await slow.send(() => page.keyboard.press("Enter"));
      await front.getByLabel("Phone").fill("919800000009");
      await slow.arrive(second);
      await front.getByText("Enter the whole number").waitFor();
      expect(await front.getByLabel("Phone").inputValue()).toBe("919800000009");
      await page.keyboard.press("Enter");
      await front.locator("ol.line").getByText("Ben").waitFor();
    });

    test("keeps what is typed above a line that is shown in part when its first person is called", async () => {
      const waiting = Array.from({ length: 22 }, (_, at) => person(`w${at}`));
      const { front } = await open({
        queues: [{ ref: "front", name: "Front desk", entries: waiting }],
      });
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Half a name");
      await front.getByRole("button", { name: "Call next" }).click();
      await front.getByRole("button", { name: "Complete A1" }).waitFor();
      expect(await front.getByLabel("Name").inputValue()).toBe("Half a name");
      expect(await front.getByLabel("Name").isVisible()).toBe(true);
    });

    test("corrects the person whose card is open, and keeps what is typed while others serve them", async () => {
      const { clinic, page, front } = await open();
      const dialog = dialogOf(page);
      const correct = async (token: string) => {
        await front.getByRole("link", { name: new RegExp(`^${token} `) }).click();
        await dialog.getByRole("heading", { name: token }).waitFor();
        await dialog.getByText("Correct", { exact: true }).click();
      };
      const name = dialog.getByLabel("Name");
      await correct("A5");
      await name.fill("Half typed");
      await page.goBack();
      await dialog.waitFor({ state: "hidden" });
      expect(new URL(page.url()).pathname).toBe("/dashboard");
      await correct("A6");
      expect(await name.inputValue()).toBe("Person second");
      await name.fill("Meera");
      await service.owner.serve(clinic.entry("second"), "call");
      await dialog.getByText("In service", { exact: true }).waitFor();
      expect(await name.inputValue()).toBe("Meera");
      await dialog.getByLabel("Phone").fill("123");
      const save = dialog.getByRole("button", { name: "Save" });
      await save.click();
      await dialog.getByText("Enter the whole number").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByLabel("Phone").fill("919800000009");
      await save.click();
      await said(page).toBe("A6, Meera, is corrected.");
    });

    test("keeps what is typed when its counter is named, and when its queues change", async () => {
      const { clinic, page, front } = await open();
      const name = front.getByLabel("Name");
      /** Changes the name of a queue, and waits for the page that is loaded again. */
      const rename = async (to: string) => {
        await mark(page);
        await service.store.queues.change(clinic.id, clinic.queue("lab"), { name: to });
        await page.getByRole("heading", { name: to }).waitFor();
        await isLive(page);
        expect(await isMarked(page)).toBe(false);
      };
      await front.getByText("Add a walk-in").click();
      await name.fill("Half a name");
      await rename("Blood tests");
      await said(page).toBe("The page was loaded again. Your input is back in the form.");
      expect(await name.inputValue()).toBe("Half a name");
      await page.getByText("This screen", { exact: true }).click();
      await page.getByLabel("Counter").fill("Counter 2");
      await page.keyboard.press("Enter");
      await said(page).toBe("Calls from this browser now name Counter 2.");
      const head = page.locator("summary", { hasText: "Counter 2" });
      await head.click();
      expect(await page.getByLabel("Counter").inputValue()).toBe("Counter 2");
      await head.click();
      expect(await name.inputValue()).toBe("Half a name");
      await name.fill("");
      await rename("X-ray");
      await said(page).toBe("Calls from this browser now name Counter 2."); // no input is back
    });

    test("keeps the focus, the open card and a form without input when it is loaded again", async () => {
      const { clinic, page, front } = await open();
      const rename = async (to: string) => {
        await mark(page);
        await service.store.queues.change(clinic.id, clinic.queue("lab"), { name: to });
        await page.locator(`h2:text-is("${to}")`).waitFor({ state: "attached" });
        await isLive(page);
        expect(await isMarked(page)).toBe(false);
      };
      const call = front.getByRole("button", { name: "Call A5" });
      await call.focus();
      await rename("Blood tests");
      expect(await focused(page)).toContain('aria-label="Call A5"');
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").focus();
      await rename("X-ray");
      await page.keyboard.type("Meera");
      expect(await front.getByLabel("Name").inputValue()).toBe("Meera");
      await front.getByLabel("Name").fill("");
      await front.getByRole("link", { name: /^A5 / }).click();
      await dialogOf(page).getByRole("button", { name: "No-show" }).focus();
      await rename("Scans");
      await dialogOf(page).waitFor();
      expect(await focused(page)).toContain('id="card-no-show"');
      await page.keyboard.press("Escape");
      await dialogOf(page).waitFor({ state: "hidden" });
    });

    test("opens the card again after it is loaded again, but not over what the user has done since", async () => {
      const { clinic, page, front } = await open();
      const people = await slowly(page, "**/board/people/*");
      await front.getByRole("link", { name: /^A5 / }).click();
      await dialogOf(page).waitFor();
      const asked = await people.send(async () => {
        await service.store.queues.change(clinic.id, clinic.queue("lab"), { name: "X-ray" });
        await page.locator('h2:text-is("X-ray")').waitFor({ state: "attached" });
      });
      await page.locator("#find").pressSequentially("Per");
      await people.arrive(asked);
      expect(await dialogOf(page).isVisible()).toBe(false);
      expect(await focused(page)).toContain('id="find"');
    });

    test("says in the card that is opened again that the connection is lost only if it is", async () => {
      const { clinic, page, front } = await open();
      await front.getByRole("link", { name: /^A5 / }).click();
      await dialogOf(page).waitFor();
      const boards = gate();
      await page.route("**/dashboard", async (route) => {
        const isPage = route.request().isNavigationRequest();
        if (!isPage && route.request().method() === "GET") await boards.pass();
        await route.fallback();
        if (isPage) boards.close();
      });
      await mark(page);
      await service.store.queues.change(clinic.id, clinic.queue("lab"), { name: "X-ray" });
      await page.locator('h2:text-is("X-ray")').waitFor({ state: "attached" });
      await dialogOf(page).waitFor();
      expect(await isMarked(page)).toBe(false);
      expect(await dialogOf(page).locator("[data-lost]").count()).toBe(0);
      boards.open();
    });

    test("keeps what is typed while the name of its counter is saved", async () => {
      const { page, front } = await open();
      const slow = await slowly(page, "**/board/counter");
      await front.getByText("Add a walk-in").click();
      const head = page.getByText("This screen", { exact: true });
      await head.click();
      const counter = page.getByLabel("Counter");
      await counter.fill("Counter 2");
      const first = await slow.send(() => page.getByRole("button", { name: "Save" }).click());
      await counter.fill("Counter 3");
      await slow.arrive(first);
      await said(page).toBe("Calls from this browser now name Counter 2.");
      expect(await counter.inputValue()).toBe("Counter 3");
      const second = await slow.send(() => page.getByRole("button", { name: "Save" }).click());
      await front.getByLabel("Name").fill("Half a n");
      await slow.arrive(second);
      await said(page).toBe("Calls from this browser now name Counter 3.");
      await page.keyboard.type("ame");
      expect(await front.getByLabel("Name").inputValue()).toBe("Half a name");
    });

    test("finds a person as a name is typed, also after a final status", async () => {
      const { page, front } = await open();
      await page.clock.install();
      const search = async (typed: string) => {
        await page.locator("#find").fill(typed);
        await page.clock.fastForward(200);
      };
      await page.keyboard.press("/");
      expect(await focused(page)).toContain('id="find"');
      await search("Nobody");
      await page.getByText("No customer matches today.").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await search("a1");
      await expect.poll(() => page.locator("#found .token").allTextContents()).toEqual(["A1"]);
      await page.locator("#found a.who").click();
      const isCompleted = { hasText: /^Completed$/ };
      await dialogOf(page).locator("dd", isCompleted).waitFor();
      await page.keyboard.press("Escape");
      await front.locator(".ended summary").click();
      const ended = () => front.locator(".ended .token").allTextContents();
      await expect.poll(ended).toEqual(["A3", "A2", "A1"]);
      await page.clock.fastForward(2_000);
      await front.getByRole("button", { name: "Complete A4" }).click();
      await expect.poll(ended).toHaveLength(4);
    });

    test("shows what the last search finds, however slow an earlier one is, as it is now", async () => {
      const { clinic, page, front } = await open();
      const found = () => page.locator("#found .who").allTextContents();
      const slow = await slowly(page, "**/board/find?q=first");
      const earlier = await slow.send(() => page.locator("#find").fill("first"));
      await page.locator("#find").fill("second");
      await expect.poll(found).toEqual([expect.stringMatching(/^A6 .*Waiting/)]);
      await slow.arrive(earlier);
      expect(await found()).toEqual([expect.stringMatching(/^A6 /)]);
      await service.owner.serve(clinic.entry("second"), "call");
      await front.getByRole("button", { name: "Complete A6" }).waitFor();
      await expect.poll(found).toEqual([expect.stringMatching(/^A6 .*In service/)]);
    });
  },
);
