import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isFirefox, noBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { displayLinkIn, makeDisplayLink } from "./support/display.js";
import { boardOpener, focused, isLive, isMarked, mark, slowly } from "./support/open-board.js";
import { newOwner, password, signedInVisitor, type TestOwner } from "./support/visitor.js";

/** Holds back the answer to a key that was made. */
const slow = gate();
const service = await testService({ interpose: held("keys", "add", { after: slow }) });

/** Appointments at these times. Each has its time as its ref, and in the name of its person. */
const visitsAt = (...times: string[]) => ({
  appointments: times.map((slotTime) => {
    return { ref: slotTime, slotTime, customer: { name: `Person of ${slotTime}` } };
  }),
});

const statusesOf = async (clinic: Clinic) =>
  (await clinic.client().appointments()).data.map(({ status }) => status);

describe.skipIf(noBrowser)(`the pages in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const { at, openPage } = boardOpener(service);
  const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
  const enter = async (one: Locator) => {
    await one.focus();
    await one.page().keyboard.press("Enter");
  };

  describe("by the keyboard alone", () => {
    test("a fault in a form moves the focus to its field", async () => {
      const clinic = await service.clinic();
      const { page } = await openPage(clinic, `/keys/${clinic.keyId()}`);
      await page.getByLabel("Addresses it may be used from").focus();
      await page.keyboard.type("nowhere");
      await enter(page.getByRole("button", { name: "Save" }));
      await page.getByText("Addresses, number 1, must be an IPv4 address").waitFor();
      expect(await focused(page)).toContain('name="allowIps"');
    });

    test("queues are moved and switched, and the focus stays at the same one", async () => {
      const names = ["First", "Second", "Third"];
      const queues = names.map((name, n) => ({ ref: name, name, tokenSeries: "ABC"[n] ?? "" }));
      const clinic = await service.clinic({ queues });
      const { page, faults } = await openPage(clinic, "/queues");
      const order = async () => (await clinic.client().queues()).data.map(({ name }) => name);
      await enter(page.getByRole("button", { name: /^Move up ?: Third/ }));
      await expect.poll(order).toEqual(["First", "Third", "Second"]);
      await page.locator("tbody tr:nth-child(2)", { hasText: "Third" }).waitFor();
      await page.keyboard.press("Enter");
      await expect.poll(order).toEqual(["Third", "First", "Second"]);
      await page.locator("tbody tr:nth-child(1)", { hasText: "Third" }).waitFor();
      await enter(page.getByRole("button", { name: "Close Second", disabled: false }));
      await page.getByText("Second is closed").waitFor();
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Open Second");
      expect(faults).toEqual([]);
    });

    test("a second Enter acts on no other appointment than the first", async () => {
      const clinic = await service.clinic(visitsAt("09:00", "09:30", "10:00"));
      const viewport = { width: 1024, height: 300 };
      const { page, faults } = await openPage(clinic, "/appointments", { viewport });
      for (const [name, said] of [
        [/^Cancel ?: Person of 09:00/, "09:00, Person of 09:00, is canceled."],
        [/^Is here ?: Person of 09:30/, "was given for the appointment at 09:30"],
      ] as const) {
        await enter(page.getByRole("button", { name }));
        const message = await page.getByText(said).boundingBox();
        expect(message?.y).toBeGreaterThan(0);
        expect(message?.y).toBeLessThan(300);
        expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^09:/);
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Appointment at" }).waitFor();
        await page.goto(at("/appointments"));
      }
      expect(await statusesOf(clinic)).toEqual(["CANCELLED", "CHECKED_IN", "CONFIRMED"]);
      expect(faults).toEqual([]);
    });
  });

  test("a press is sent while another is under way, and a change that arrives meanwhile is shown after both, although these fail", async () => {
    const clinic = await service.clinic(visitsAt("09:00", "09:30", "10:00"));
    const { page } = await openPage(clinic, "/appointments");
    await isLive(page);
    const presses = gate();
    presses.close();
    await page.route("**/status", async (route) => {
      await presses.pass();
      await route.abort();
    });
    await press(page, /^No-show ?: Person of 09:00/);
    await presses.reached(1);
    await press(page, /^No-show ?: Person of 09:30/);
    await presses.reached(2);
    await service.owner.setAppointment(clinic.appointment("10:00"), "CANCELLED");
    await page.getByText("Changes wait until you finish.").waitFor();
    presses.open();
    await page.getByText("Canceled", { exact: true }).waitFor();
    await isLive(page);
  });

  test("a button that was pressed is dimmed until its response arrives", async () => {
    const { page } = await openPage(await service.clinic(visitsAt("10:30")), "/appointments");
    await isLive(page);
    const slow = await slowly(page, "**/status");
    const cancel = page.getByRole("button", { name: "Cancel" });
    const isDimmed = () => cancel.getAttribute("aria-disabled");
    expect(await isDimmed()).toBe(null);
    const request = await slow.send(() => cancel.click());
    expect(await isDimmed()).toBe("true");
    await page.unroute("**/status");
    await slow.arrive(request);
    await page.getByText("Person of 10:30, is canceled.").waitFor();
  });

  test("a menu closes when the focus leaves it", async () => {
    const { page } = await openPage(await service.clinic());
    const menu = page.locator(".top .menu");
    await menu.locator("summary").press("Enter");
    for (const _ of await menu.locator("a, button").all()) await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await menu.getAttribute("open")).toBeNull();
  });

  test("a message over the appointments covers no navigation, and goes after a while", async () => {
    const { page, faults } = await openPage(
      await service.clinic(visitsAt("09:00")),
      "/appointments",
    );
    await page.clock.install();
    await press(page, /^No-show/);
    const message = page.locator("#flash .flash");
    await message.waitFor();
    const covered = `[...document.querySelectorAll(".top nav a")].filter((link) => {
      const { x, y, width, height } = link.getBoundingClientRect();
      return !link.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    }).length`;
    expect(await page.evaluate(covered)).toBe(0);
    await page.clock.runFor(11_000);
    await message.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  test("the message after a press waits for no second request, and leaves the search field free", async () => {
    const { page } = await openPage(await service.clinic(visitsAt("09:00")), "/appointments");
    await isLive(page);
    const lists = gate();
    await page.route("**/appointments", async (route) => {
      await lists.pass();
      await route.fallback();
    });
    lists.close();
    await press(page, /^No-show/);
    // The list is given up after eight seconds.
    const said = page.getByText("09:00, Person of 09:00, is a no-show.");
    await said.waitFor({ timeout: 6_000 });
    for (const width of [1280, 1024, 700]) {
      await page.setViewportSize({ width, height: 768 });
      const message = await page.locator("#flash .flash").boundingBox();
      const field = await page.locator("#find").boundingBox();
      expect((message?.x ?? 0) + (message?.width ?? 9_999), `${width}`).toBeLessThanOrEqual(
        field?.x ?? 0,
      );
    }
    lists.open();
    await page.locator("#day").getByText("No-show", { exact: true }).first().waitFor();
  });

  test("a key is shown once: it can be copied, and going back does not show it", async () => {
    const clinic = await service.clinic({ keys: [] });
    const { page, context, faults } = await openPage(clinic, "/keys/new");
    // Firefox has no such permission, and asks a person before a page may read.
    if (!isFirefox) await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Name").fill("Kiosk");
    slow.close();
    await page.getByRole("button", { name: "Make the key" }).focus();
    await page.keyboard.press("Enter");
    await slow.reached(1);
    await page.keyboard.press("Enter"); // a second press leaves the first to its answer
    slow.open();
    const key = (await page.getByLabel("The key", { exact: true }).textContent()) ?? "";
    expect(key).toMatch(/^svc_live_\w{24}_\w{43}$/);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByText("Copied.").waitFor();
    if (!isFirefox) expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
    expect((await clinic.stranger().with(key).me()).status).toBe(200);

    await page.getByRole("link", { name: "I have copied it" }).click();
    await page.getByRole("heading", { name: "Keys in use" }).waitFor();
    await page.goBack().catch(() => null); // a browser may refuse to show the response to a form again
    // The response may still be pending.
    await expect.poll(() => page.content().catch(() => key)).not.toContain(key);
    expect(faults.filter((fault) => !fault.includes("ERR_CACHE_MISS"))).toEqual([]);
  });

  test("a form whose server cannot be reached has its text again when the user goes back to it", async () => {
    const { page, context } = await openPage(await service.clinic(), "/services/new");
    await page.getByLabel("Name").fill("Half typed");
    await context.setOffline(true);
    await press(page, "Add the service");
    await expect.poll(() => page.getByLabel("Name").count()).toBe(0);
    await context.setOffline(false);
    await page.goBack();
    await page
      .getByText(
        "Your input is back in the form. Check whether it was done before you send it again.",
      )
      .waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Half typed");
    await press(page, "Add the service");
    await page.getByText("Half typed is added.").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "New service" }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("");
  });

  test("what was typed in a person's card is on the page of that person when the user comes back from an error page", async () => {
    const clinic = await service.clinic();
    const { data } = await clinic.client().create(clinic.queue());
    const { page, context } = await openPage(clinic);
    await isLive(page);
    await page.getByRole("link", { name: new RegExp(`^${data.token} `) }).click();
    await page.getByText("Correct", { exact: true }).click();
    await page.getByLabel("Name").last().fill("Half typed");
    await context.setOffline(true);
    await page.goto(at("/account")).catch(() => null);
    await context.setOffline(false);
    await page.goBack();
    await page.waitForURL(`**/board/people/${data.id}`);
    await page.getByText("Your input is back in the form.").waitFor();
    expect(await page.locator("#flash").textContent()).not.toContain("Check whether");
    expect(await page.getByLabel("Name").inputValue()).toBe("Half typed");
  });

  test("the input that was kept is deleted when the browser shows the page as it was", async () => {
    const { page } = await openPage(await service.clinic(), "/services/new");
    await page.getByLabel("Name").fill("Half typed");
    const kept = (event: string) =>
      page.evaluate(`
        dispatchEvent(new PageTransitionEvent("${event}", { persisted: true }));
        sessionStorage.length;
      `);
    expect(await kept("pagehide")).toBe(1);
    expect(await kept("pageshow")).toBe(0);
    expect(await page.getByLabel("Name").inputValue()).toBe("Half typed");
  });

  describe("without a page load", () => {
    test("a filter of the audit log applies at once, and is in the URL, and in the history once it is sent", async () => {
      const keys = [mainKey, { ...mainKey, ref: "office", name: "Office" }];
      const clinic = await service.clinic({ keys });
      for (const key of ["main", "office"]) await clinic.client(key).me();
      await expect.poll(() => service.owner.audit(clinic.slug, 9)).toHaveLength(2);
      const { page, faults } = await openPage(clinic, "/audit");
      const rows = page.locator("#audit tbody tr");
      await mark(page);
      const pages = () => page.evaluate<number>("history.length");
      const before = await pages();
      await page.getByLabel("Key").selectOption("Office");
      await expect.poll(() => rows.count()).toBe(1);
      expect(await rows.textContent()).toContain("Office");
      expect(new URL(page.url()).searchParams.get("key")).toBe(clinic.keyId("office"));
      expect(await pages()).toBe(before);
      for (const [typed, said] of [
        ["nonsense", "Status must be a status like 404"],
        ["5xx", "No request matches."],
      ] as const) {
        await page.getByLabel("Status").fill(typed);
        await page.getByLabel("Status").press("Enter");
        await page.getByText(said).waitFor();
      }
      expect(await pages()).toBe(before + 2);
      await enter(page.getByRole("link", { name: "Skip to the content" }));
      const hash = () => page.evaluate("location.hash");
      await expect.poll(hash).toBe("#content");
      await page.evaluate("history.back()");
      await expect.poll(hash).toBe("");
      expect(await isMarked(page)).toBe(true);
      expect(faults).toEqual([]);
    });

    test("appointments are found while a name is typed, and a colleague's changes keep the focus", async () => {
      const clinic = await service.clinic(visitsAt("10:30", "11:00"));
      const { page } = await openPage(clinic, "/appointments");
      await isLive(page);
      const rows = page.locator("#day tbody tr");
      const early = clinic.appointment("10:30");
      await page.getByRole("link", { name: /^11:00/ }).focus();
      await service.owner.setAppointment(early, "CHECKED_IN");
      await page.getByText("Is here", { exact: true }).first().waitFor();
      expect(await focused(page)).toContain("11:00");
      await page.keyboard.press("/");
      await page.keyboard.type("of 10");
      await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining("10:30")]);
      expect(await focused(page)).toContain('id="find"');
      expect(await page.locator("#find").inputValue()).toBe("of 10");
      await service.owner.setAppointment(early, "NO_SHOW");
      await expect.poll(() => rows.textContent()).toContain("No-show");
      expect(await violationsOf(page)).toEqual([]);
      await page.locator("#find").fill("");
      await expect.poll(() => rows.count()).toBe(2);
    });
  });

  describe("whose session ends", () => {
    /** Opens a page as a new owner, who can sign in again by the form. */
    async function openAsOwner(path: string, options = {}) {
      const clinic = await service.clinic();
      const opened = await openPage(clinic, path, options);
      const endSession = () => opened.visitor.submit("/dashboard/sign-out");
      return { ...opened, clinic, endSession };
    }

    async function signIn(page: Page, { email }: TestOwner) {
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password").fill(password);
      await press(page, "Sign in");
    }

    test("restores the text that was typed on the board", async () => {
      const viewport = { width: 390, height: 400 };
      const { clinic, page, owner, endSession } = await openAsOwner("", { viewport });
      await isLive(page);
      const name = page.locator(`#queue-${clinic.queue()} [name="name"]`);
      await page.getByText("Add a walk-in", { exact: true }).click();
      await name.fill("Half typed");
      await page.getByText("More details").click();
      await page.getByLabel("Priority").check();
      await endSession();
      await signIn(page, owner);
      await page.getByText("You had to sign in again.").waitFor();
      expect(await name.inputValue()).toBe("Half typed");
      expect(await page.getByLabel("Priority").isChecked()).toBe(true);
      await expect.poll(async () => (await name.boundingBox())?.y).toBeGreaterThan(0);
      await expect.poll(async () => (await name.boundingBox())?.y).toBeLessThan(400);
    });

    test("restores what was typed in a person's card, on the page of that person", async () => {
      const { clinic, page, owner, endSession } = await openAsOwner("");
      const { data } = await clinic.client().create(clinic.queue());
      await page.getByRole("link", { name: new RegExp(`^${data.token} `) }).click();
      await page.getByText("Correct", { exact: true }).click();
      await page.getByLabel("Name").last().fill("Half typed");
      await endSession();
      await signIn(page, owner);
      await page.waitForURL(`**/board/people/${data.id}`);
      await page.getByText("You had to sign in again. Your input is back in the form.").waitFor();
      expect(await page.getByLabel("Name").inputValue()).toBe("Half typed");
    });

    test("knows a display in the same tab from a sign-in", async () => {
      const { page, clinic, owner } = await openAsOwner("/appointments/new");
      const visitor = await signedInVisitor(service, clinic, owner);
      const display = displayLinkIn((await makeDisplayLink(visitor)).body);
      await page.getByLabel("Name").fill("Half typed");
      await page.goto(display);
      await page.locator("#display").waitFor();
      await page.goBack();
      await page.getByText("The page was loaded again. Your input is back in the form.").waitFor();
      expect(await page.getByLabel("Name").inputValue()).toBe("Half typed");
    });

    test.each([
      ["/queues/new", "Letters on its tokens", "9", "Add the queue"],
      ["/services/new", "Price", "-1", "Add the service"],
      ["/keys/new", "Addresses it may be used from", "nowhere", "Make the key"],
      ["/appointments/new", "Phone number", "1", "Make the appointment"],
    ])("restores a form of %s that was refused before", async (path, label, wrong, button) => {
      const { page, owner, endSession } = await openAsOwner(path);
      await page.evaluate("document.querySelector('main form').noValidate = true");
      await page.getByLabel("Name").fill("Half typed");
      await page.getByLabel(label).fill(wrong);
      await press(page, button);
      await page.locator("[aria-invalid]").first().waitFor();
      await page.getByLabel("Name").fill("Typed again");
      await page.evaluate("document.querySelector('main form').noValidate = true");
      await endSession();
      await press(page, button);
      await signIn(page, owner);
      await page.getByText("You had to sign in again. Your input is back in the form.").waitFor();
      expect(new URL(page.url()).pathname).toBe(`/dashboard${path}`);
      expect(await page.getByLabel("Name").inputValue()).toBe("Typed again");
      expect(await page.getByLabel(label).inputValue()).toBe(wrong);
    });

    test("restores a form that was sent too late, and keeps nothing when it is left, for another owner or after a sign-out", async () => {
      const { clinic, page, owner, endSession } = await openAsOwner("/appointments/new");
      const name = page.getByLabel("Name");
      await name.fill("Half typed");
      await page.getByLabel("Time").fill("11:00");
      await endSession();
      await press(page, "Make the appointment");
      await signIn(page, owner);
      await page.waitForURL("**/appointments/new");
      expect(await name.inputValue()).toBe("Half typed");
      const kept = () => page.evaluate("sessionStorage.length");
      await page.goto(at("/keys"));
      expect(await kept()).toBe(0);

      await page.goto(at("/appointments/new"));
      await name.fill("Half typed");
      await page.context().clearCookies({ name: "queue_api_session" });
      await page.reload();
      await signIn(page, await newOwner(service, clinic));
      await page.waitForURL("**/appointments/new");
      expect(await name.inputValue()).toBe("");
      await name.fill("Half typed");
      await page.locator(".top .menu summary").click();
      await press(page, "Sign out");
      await page.getByText("You are signed out.").waitFor();
      expect(await kept()).toBe(0);
    });
  });
});
