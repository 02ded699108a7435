import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import type { Clinic } from "../support/clinic.js";
import { testService } from "../support/service.js";
import { expectFits } from "./support/accessibility.js";
import { busy } from "./support/busy.js";
import { ownerPages } from "./support/owner-pages.js";

const service = await testService();

describe.skipIf(noBrowser)(
  `the owner's pages in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  () => {
    const { at, open } = ownerPages(service);

    test("each page fits, and axe-core reports no violations", async () => {
      const clinic = await service.clinic(busy);
      const empty = await service.clinic({
        ...{ services: [], queues: [], keys: [], appointments: [] },
      });
      await clinic.client().me();
      await clinic.client().get("/v1/nothing");
      const look = async (page: Page, state: string) => {
        for (const details of await page.locator("summary").all()) await details.click();
        await expectFits(page, state, { targets: true });
      };
      const check = async (of: Clinic, paths: readonly string[]) => {
        const { page, faults } = await open(of, { reducedMotion: "reduce" });
        for (const path of paths) {
          await page.goto(at(path));
          await look(page, path);
        }
        expect(faults).toEqual([]);
        return page;
      };
      const key = `/keys/${clinic.keyId("ending")}`;
      await check(clinic, [
        ...["/keys", "/keys/new", "/keys/access", key, `${key}/revoke`, `${key}/rotate`],
        ...[`${key}/rotate/${clinic.keyId()}`, "/audit", "/audit?status=5xx", "/statistics"],
        ...["/statistics?from=2026-10-25&to=2026-11-21", "/services", "/services/new"],
        ...[`/services/${clinic.service()}`, "/queues", "/queues/new"],
        ...[`/queues/${clinic.queue()}`, "/appointments", "/appointments/new"],
        ...[`/appointments/${clinic.appointment("visit")}`],
        ...["/settings", "/staff", "/statistics?from=2026-11-21&to=2026-11-01"],
      ]);
      const pages = ["/keys", "/audit", "/statistics", "/services", "/queues", "/appointments"];
      const page = await check(empty, pages);
      await page.goto(at("/keys/new"));
      await page.getByLabel("Name").fill("Kiosk");
      await page.getByLabel("Addresses it may be used from").fill("nowhere");
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.getByText("Addresses, number 1, must be an IPv4 address").waitFor();
      await look(page, "a form with a fault");
      await page.goto(at("/staff"));
      await page.getByLabel("E-mail address").fill(`bert-${empty.slug}@clinic.example`);
      await page.getByRole("button", { name: "Make the link" }).click();
      await page.getByRole("heading", { name: "The link, shown this once" }).waitFor();
      await look(page, "an invitation");
      await page.goto(at("/account"));
      await page.getByLabel("Current password").fill("this is not the password");
      await page.getByLabel("New password", { exact: true }).fill("purple elephant on a bicycle");
      await page.getByLabel("New password again").fill("another");
      await page.getByRole("button", { name: "Change the password" }).click();
      await page.getByText("This is not the same as above.").waitFor();
      await look(page, "a password with a fault");
      await page.goto(at("/settings"));
      await page.evaluate('document.getElementById("longWaitMinutes").form.noValidate = true');
      await page.getByLabel("Minutes").fill("999999");
      const longWaits = page.locator("form", { has: page.locator("#longWaitMinutes") });
      await longWaits.getByRole("button", { name: "Save" }).click();
      await page.locator("#longWaitMinutes-error").waitFor();
      await look(page, "settings with a fault");
      await page.getByRole("button", { name: "Make the link" }).click();
      await page
        .getByRole("heading", { name: "The link to the display, shown this once" })
        .waitFor();
      await look(page, "a link to the display");
      await page.goto(at("/keys/new"));
      await page.getByLabel("Name").fill("Kiosk");
      await page.getByLabel("Addresses it may be used from").fill("");
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.getByRole("heading", { name: "The key, shown this once" }).waitFor();
      await look(page, "a key that was just made");
    });
  },
);
