import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isFirefox, noBrowser } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { overflowOf } from "./support/accessibility.js";
import { busy } from "./support/busy.js";
import { ownerPages } from "./support/owner-pages.js";

/** Holds back the answer to a key that was made. */
const slow = gate();
const service = await testService({
  interpose: ({ keys }) => ({
    keys: {
      add: async (...asked) => {
        const outcome = await keys.add(...asked);
        await slow.pass();
        return outcome;
      },
    },
  }),
});

describe.skipIf(noBrowser)(
  `the owner's pages in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  () => {
    const { at, open } = ownerPages(service);

    test("a key is shown once: it can be copied, and going back does not show it", async () => {
      const clinic = await service.clinic({ keys: [] });
      const { page, context, faults } = await open(clinic);
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(at("/keys"));
      await page.getByRole("link", { name: "Make the first key" }).click();
      await page.getByLabel("Name").fill("Kiosk");
      await page.getByRole("button", { name: "Make the key" }).click();
      const secret = page.getByLabel("The key", { exact: true });
      const key = (await secret.textContent()) ?? "";
      expect(key).toMatch(/^svc_live_\w{24}_\w{43}$/);

      await page.getByRole("button", { name: "Copy" }).first().click();
      await page.getByText("Copied.").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
      expect((await clinic.stranger().with(key).me()).status).toBe(200);

      await page.getByRole("link", { name: "I have copied it" }).click();
      await page.getByRole("heading", { name: "Keys in use" }).waitFor();
      await page.goBack().catch(() => null); // a browser may refuse to show the response to a form again
      // The response may still be pending.
      await expect.poll(() => page.content().catch(() => key)).not.toContain(key);
      expect(faults.filter((fault) => !fault.includes("ERR_CACHE_MISS"))).toEqual([]);
    });

    test.each([
      ["with scripts", true],
      ["without scripts", false],
    ])(
      "a key is created, changed and revoked by the keyboard alone, %s",
      async (_, javaScriptEnabled) => {
        const clinic = await service.clinic({ keys: [] });
        const { page, faults } = await open(clinic, { javaScriptEnabled });
        await page.goto(at("/keys/new"));
        await page.getByLabel("Name").focus();
        await page.keyboard.type("Kiosk");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "The key, shown this once" }).waitFor();
        await page.getByRole("link", { name: "I have copied it" }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("link", { name: "Kiosk" }).focus();
        await page.keyboard.press("Enter");
        await page.getByLabel("Addresses it may be used from").focus();
        await page.keyboard.type("nowhere");
        await page.getByRole("button", { name: "Save" }).focus();
        await page.keyboard.press("Enter");
        await page.getByText("Addresses, number 1, must be an IPv4 address").waitFor();
        if (javaScriptEnabled) {
          expect(await page.evaluate("document.activeElement.name")).toBe("allowIps");
        }
        await page.getByLabel("Addresses it may be used from").fill("203.0.113.7");
        await page.getByRole("button", { name: "Save" }).focus();
        await page.keyboard.press("Enter");
        await page.getByText("Kiosk is changed, from its next request on.").waitFor();
        await page.getByRole("link", { name: "Revoke…" }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Revoke it" }).focus();
        await page.keyboard.press("Enter");
        await page.getByText("is revoked.").waitFor();
        expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
      },
    );

    test("the page of a replacement shows without a reload when the new key is used", async () => {
      const clinic = await service.clinic();
      const { page } = await open(clinic);
      await page.clock.install();
      await page.goto(at(`/keys/${clinic.keyId()}/rotate`));
      await page.getByRole("button", { name: "Make the new key" }).click();
      const key = (await page.getByLabel("The key", { exact: true }).textContent()) ?? "";
      await page.getByRole("link", { name: "I have copied it" }).click();
      await page.getByText("The new key has not been used yet.").waitFor();
      await clinic.client().with(key).me();
      const isShown = async () => {
        await page.clock.fastForward(5_000); // again, if the page was still busy with its first request
        return page.getByText("The new key is in use.").isVisible();
      };
      await expect.poll(isShown).toBe(true);
      await page.getByRole("button", { name: "Revoke the old key" }).click();
      await page.getByText("The old key is revoked. The replacement is complete.").waitFor();
      expect((await clinic.client().me()).status).toBe(401);
    });

    test("a filter of the audit log applies at once, and is in the URL", async () => {
      const clinic = await service.clinic({
        keys: [mainKey, { ...mainKey, ref: "office", name: "Office" }],
      });
      await clinic.client().me();
      await clinic.client("office").get("/v1/nothing");
      const { page, faults } = await open(clinic);
      const rows = page.locator("#audit tbody tr");
      await expect
        .poll(async () => {
          await page.goto(at("/audit"));
          return rows.count();
        })
        .toBe(2);
      await page.evaluate("window.marked = true");
      await page.getByLabel("Key").selectOption("Office");
      await expect.poll(() => rows.count()).toBe(1);
      expect(await rows.textContent()).toContain("/v1/nothing");
      expect(new URL(page.url()).searchParams.get("key")).toBe(clinic.keyId("office"));
      await page.getByLabel("Status").fill("nonsense");
      await page.getByLabel("Status").press("Enter");
      await page.getByText("Status must be a status like 404").waitFor();
      await page.getByLabel("Status").fill("2xx");
      await page.getByLabel("Status").press("Enter");
      await page.getByText("No request matches.").waitFor();
      expect(await page.evaluate("window.marked")).toBe(true);
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Show all" }).first().click();
      await page.getByRole("link", { name: "Download as CSV" }).click();
      expect((await download).suggestedFilename()).toMatch(/^audit-clinic-.*\.csv$/);
      expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
    });

    test("an appointment changes its status step by step, without a page load", async () => {
      const clinic = await service.clinic(busy);
      const { page, faults } = await open(clinic);
      await page.goto(at("/appointments"));
      await page.evaluate("window.marked = true");
      const queue = page.locator('select[name="queue"]');
      await queue.selectOption("No token");
      await queue.focus(); // on a phone, a tap on a button leaves the focus where it is
      await page.getByRole("button", { name: /^Is here/ }).dispatchEvent("click");
      await page.getByText("10:30, Customer 2, is here.").waitFor();
      await page.getByRole("button", { name: /^Begin/ }).click();
      await page.getByText("10:30, Customer 2, is in service.").waitFor();
      await page.getByRole("button", { name: /^Complete/ }).click();
      await page.getByText("10:30, Customer 2, is completed.").waitFor();
      expect(await page.evaluate("window.marked")).toBe(true);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: /^Complete/ }).waitFor();
      const { data } = await clinic.client().appointment(clinic.appointment("visit"));
      expect(data.status).toBe("IN_SERVICE");
      expect(faults).toEqual([]);
    });

    test("a second Enter acts on no other appointment than the first", async () => {
      const appointments = ["09:00", "09:30", "10:00"].map((slotTime) => ({
        ...{ ref: slotTime, slotTime, customer: { name: `Person of ${slotTime}` } },
      }));
      const clinic = await service.clinic({ appointments });
      const { page, faults } = await open(clinic);
      await page.goto(at("/appointments"));
      await page.setViewportSize({ width: 1024, height: 300 });
      const pressed = async (name: RegExp, said: string) => {
        await page.getByRole("button", { name }).focus();
        await page.keyboard.press("Enter");
        const message = await page.getByText(said).boundingBox();
        expect(message?.y).toBeGreaterThan(0);
        expect(message?.y).toBeLessThan(300);
        expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^09:/);
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Appointment at" }).waitFor();
        await page.goto(at("/appointments"));
      };
      await pressed(/^Cancel ?: Person of 09:00/, "09:00, Person of 09:00, is canceled.");
      await pressed(/^Is here ?: Person of 09:30/, "was given for the appointment at 09:30");
      const statuses = (await clinic.client().appointments()).data.map(({ status }) => status);
      expect(statuses).toEqual(["CANCELLED", "CHECKED_IN", "CONFIRMED"]);
      expect(faults).toEqual([]);
    });

    test("queues are moved and switched by the keyboard, and the focus stays at the same one", async () => {
      const names = ["First", "Second", "Third"];
      const queues = names.map((name, n) => ({ ref: name, name, tokenSeries: "ABC"[n] ?? "" }));
      const clinic = await service.clinic({ queues });
      const { page, faults } = await open(clinic);
      await page.goto(at("/queues"));
      const order = async () => (await clinic.client().queues()).data.map(({ name }) => name);
      await page.getByRole("button", { name: /^Move up ?: Third/ }).focus();
      await page.keyboard.press("Enter");
      await expect.poll(order).toEqual(["First", "Third", "Second"]);
      await page.locator("tbody tr:nth-child(2)", { hasText: "Third" }).waitFor();
      await page.keyboard.press("Enter");
      await expect.poll(order).toEqual(["Third", "First", "Second"]);
      await page.locator("tbody tr:nth-child(1)", { hasText: "Third" }).waitFor();
      await page.getByRole("button", { name: "Close Second", disabled: false }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Second is closed").waitFor();
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Open Second");
      expect(faults).toEqual([]);
    });

    test("a second press on a slow line leaves the first to its answer, which shows the key", async () => {
      const clinic = await service.clinic({ keys: [] });
      const { page } = await open(clinic);
      await page.goto(at("/keys/new"));
      await page.getByLabel("Name").fill("Kiosk");
      slow.close();
      await page.getByRole("button", { name: "Make the key" }).focus();
      await page.keyboard.press("Enter");
      await slow.reached(1);
      await page.keyboard.press("Enter");
      slow.open();
      await page.getByRole("heading", { name: "The key, shown this once" }).waitFor();
    });

    test("the queue of the statistics is selected without a page load", async () => {
      const { page, faults } = await open(await service.clinic(busy));
      await page.goto(at("/statistics"));
      await page.getByRole("link", { name: "7 days" }).click();
      await page.getByRole("heading", { name: "Outcomes" }).waitFor();
      await page.evaluate("window.marked = true");
      await page.getByLabel("Queue", { exact: true }).selectOption("Laboratory");
      await page.getByText("No tokens were issued on these days.").waitFor();
      expect(new URL(page.url()).searchParams.get("queue")).not.toBeNull();
      expect(await page.evaluate("window.marked")).toBe(true);
      expect(faults).toEqual([]);
    });

    test("Staff is in the account menu, which opens on a phone", async () => {
      const { page, faults } = await open(await service.clinic(busy), {
        ...{ viewport: { width: 390, height: 844 }, hasTouch: true },
      });
      // In Firefox, a tap by Playwright causes no click.
      const tap = (one: Locator) => (isFirefox ? one.click() : one.tap());
      await page.goto(at(""));
      await tap(page.locator("summary", { hasText: "Account" }));
      const link = page.getByRole("link", { name: "Staff" });
      const box = await link.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
      await tap(link);
      await page.getByRole("heading", { name: "Staff", exact: true }).waitFor();
      expect(await overflowOf(page)).toBe(0);
      expect(faults).toEqual([]);
    });
  },
);
