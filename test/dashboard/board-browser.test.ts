import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { gate } from "../support/gate.js";
import { testService } from "../support/service.js";
import { expectFits, violationsOf } from "./support/accessibility.js";
import { busyClinic, person } from "./support/board.js";
import { boardOpener, isLive, isMarked, line, mark, message } from "./support/open-board.js";

const calls = gate();
const service = await testService({
  interpose: (store) => ({
    entries: {
      move: async (...request) => {
        if (request[2] === "next") await calls.pass();
        return store.entries.move(...request);
      },
    },
  }),
});

describe.skipIf(noBrowser)(`the board in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const { open, openBoard } = boardOpener(service);

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

    test("corrects the person whose card is open, and keeps what is typed while others serve them", async () => {
      const { clinic, page, front } = await open();
      const dialog = page.getByRole("dialog");
      const correct = async (token: string) => {
        await front.getByRole("link", { name: new RegExp(`^${token} `) }).click();
        await dialog.getByRole("heading", { name: token }).waitFor();
        await dialog.getByText("Correct", { exact: true }).click();
      };
      await correct("A5");
      await dialog.getByLabel("Name").fill("Half typed");
      await page.keyboard.press("Escape");
      await correct("A6");
      expect(await dialog.getByLabel("Name").inputValue()).toBe("Person second");
      await dialog.getByLabel("Name").fill("Meera");
      await service.store.entries.move(clinic.id, clinic.entry("second"), "call", service.now());
      await dialog.getByText("In service", { exact: true }).waitFor();
      expect(await dialog.getByLabel("Name").inputValue()).toBe("Meera");
      await dialog.getByLabel("Phone").fill("123");
      const save = dialog.getByRole("button", { name: "Save" });
      await save.click();
      await dialog.getByText("Enter the whole number").waitFor();
      const known = { customerPhone: "919800000009", phoneIsInternational: false };
      await service.store.entries.correct(
        ...([clinic.id, clinic.entry("second")] as const),
        ...([{ ...known, customerName: "Mira", serviceId: null, workMinutes: null }, {}] as const),
      );
      await dialog.getByRole("heading", { name: "A6 Mira" }).waitFor();
      expect(await dialog.getByLabel("Name").inputValue()).toBe("Meera");
      await dialog.getByLabel("Phone").fill("919800000009");
      await save.click();
      await dialog.getByText("Another person changed this meanwhile").waitFor();
      expect(await dialog.getByLabel("Name").inputValue()).toBe("Meera");
      await save.click();
      await expect.poll(() => message(page).textContent()).toBe("A6, Meera, is corrected.");
      await correct("A6");
      expect(await dialog.getByLabel("Name").inputValue()).toBe("Meera");
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
      await front.getByText("Add a walk-in").click();
      await front.getByText("More details").click();
      await front.getByLabel("Service").selectOption("Consultation");
      for (const name of ["Walker", "Strider"]) {
        await front.getByLabel("Name").fill(name);
        await page.keyboard.press("Enter");
        await front.locator("ol.line").getByText(name).waitFor();
        await expect.poll(() => front.getByLabel("Name").inputValue()).toBe("");
        await page.keyboard.press("Enter"); // adds nobody: the form is empty
      }
      await front.getByText("More details").click();
      expect(await front.getByLabel("Service").inputValue()).toBe("");
      await front.getByLabel("Phone").fill("12345");
      await page.keyboard.press("Enter");
      await front.getByText("Enter the whole number").waitFor();
      expect(await line(page)).toEqual(["A7", "A5", "A6", "A8", "A9"]);
    });

    test("keeps the typed text and the focus when the line changes", async () => {
      const { clinic, page, front } = await open();
      await front.getByText("Add a walk-in").click();
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
      await service.store.entries.move(clinic.id, clinic.entry("p30"), "priority", 0);
      await service.owner.next(clinic.queue());
      await service.owner.next(clinic.queue());
      await clinic.client().cancel(clinic.entry("p20"));
      await service.store.entries.move(clinic.id, clinic.entry("p10"), "priority", 0);
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
      service.store.queues.change(clinic.id, clinic.queue("lab"), { name: "Blood tests" });

    test("loads the page again, with its message and Undo", async () => {
      const { clinic, page, front } = await open();
      await mark(page);
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await message(page).waitFor();
      await rename(clinic);
      await page.getByRole("heading", { name: "Blood tests" }).waitFor();
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
      await page.getByRole("heading", { name: "Blood tests" }).waitFor();
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
      await page.getByRole("heading", { name: "Blood tests" }).waitFor();
      expect(await message(page).textContent()).toBe("A4, Person served, is completed.");
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
    });
  });

  describe("by keyboard alone", () => {
    test("calls, completes and opens a person's card, and never loses the focus", async () => {
      const { page, front } = await open();
      const focused = () => page.evaluate("document.activeElement.textContent.trim()");
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("To the content");
      await page.keyboard.press("Enter");
      for (let n = 0; n < 7; n++) await page.keyboard.press("Tab");
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
      expect(await focused()).toMatch(/^A6/); // a further Enter does nothing
      await page.keyboard.press("Tab");
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

  test.each([280, 320, 360, 390, 430])(
    "keeps the words of the counts whole at a width of %i",
    async (width) => {
      const served = Array.from({ length: 12 }, (_, at) =>
        person(`done${at}`, { status: "COMPLETED" }),
      );
      const front = { ref: "front", name: "Front desk", entries: [...served, person("waits")] };
      const lab = { ref: "lab", name: "Laboratory", tokenSeries: "L" };
      for (const queues of [[front], [front, lab]]) {
        const { page, front: card } = await open({ queues }, { viewport: { width, height: 800 } });
        await page.evaluate("document.fonts.ready");
        for (const word of await card.locator(".counts dt").all())
          expect((await word.boundingBox())?.height, await word.innerHTML()).toBeLessThan(26);
        await expectFits(page, `${queues.length} queues`);
      }
    },
  );

  test.each([
    { width: 1280, height: 720 },
    { width: 390, height: 664 },
  ])("covers no button that calls with its message: %j", async (viewport) => {
    const waiting = Array.from({ length: 20 }, (_, at) => person(`w${at}`));
    const queues = [{ ref: "front", name: "Front desk", entries: waiting }];
    const { page, front } = await open({ queues }, { viewport });
    for (const token of ["A1", "A9", "A18"]) {
      await front.getByRole("button", { name: `Call ${token}`, exact: true }).click();
      await expect.poll(() => message(page).textContent()).toContain(`${token}, `);
      const shown = await page.locator("#flash .flash").boundingBox();
      const head = await page.locator(".page-head").boundingBox();
      if (!shown || !head) throw new Error("there is no message, or no head");
      expect(shown.y).toBeGreaterThanOrEqual(0);
      expect(shown.y + shown.height).toBeLessThanOrEqual(head.y + head.height);
    }
  });

  test("says how long new people wait", async () => {
    const others = Array.from({ length: 24 }, (_, at) => person(`p${at}`, { service: "consult" }));
    // One is of unknown work, so as long as the others. The card of the queue shows 20 of the 25.
    const entries = [person("other", { minutesAgo: 29 }), ...others];
    const services = [{ ref: "consult", name: "Consultation", baseTimeMinutes: 15 }];
    const queues = [{ ref: "front", name: "Front desk", entries }];
    const { clinic, page, front } = await open({ queues, services });
    const wait = () => front.locator(".counts").textContent();
    expect(await wait()).toContain("Wait if new6 h 15");
    await front.getByText("Add a walk-in").click();
    await front.getByRole("button", { name: "Add to the line" }).click();
    await expect.poll(() => message(page).textContent()).toMatch(/ place 26, about 6 h 15\.$/);
    await page.goto(`${service.url}/dashboard/board/people/${clinic.entry("p23")}`);
    await page.getByText("6 h 00").waitFor();
    await service.store.entries.move(clinic.id, clinic.entry("other"), "cancel", service.now());
    await page.goto(`${service.url}/dashboard`);
    expect(await wait()).toContain("Wait if new6 h 15");
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
      expect(await message(page).textContent()).toBe("A7, Person urgent, was called.");
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
      await front.locator("summary", { hasText: "Add a walk-in" }).click();
      await front.getByText("More details").click();
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
    await front.getByText("Add a walk-in").click();
    await front.getByText("More details").click();
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
