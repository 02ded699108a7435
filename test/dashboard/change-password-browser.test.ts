import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import { testService } from "../support/service.js";
import { expectFits } from "./support/accessibility.js";
import { sharedBrowser, signedInPage } from "./support/browser.js";
import { newOwner, password, signedInVisitor } from "./support/visitor.js";

const another = "purple elephant on a bicycle";

describe.skipIf(noBrowser)(
  `changing the password with a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  async () => {
    const service = await testService();
    const browser = sharedBrowser();

    test.each([
      ["with JavaScript", true],
      ["without JavaScript", false],
    ])(
      "works by the keyboard alone, and signs out the board in another browser (%s)",
      async (_, javaScriptEnabled) => {
        const clinic = await service.clinic();
        const owner = await newOwner(service, clinic);
        const desk = await signedInVisitor(service, clinic, owner);
        const phone = await signedInVisitor(service, clinic, owner);
        const board = (await signedInPage(browser(), phone)).page;
        await board.goto(`${service.url}/dashboard`);
        await board.getByText("Live", { exact: true }).waitFor();

        const { page, faults } = await signedInPage(browser(), desk, { javaScriptEnabled });
        await page.goto(`${service.url}/dashboard/account`);
        await page.getByLabel("Current password").focus();
        await page.keyboard.type(password);
        await page.keyboard.press("Tab");
        await page.keyboard.type(another);
        await page.keyboard.press("Tab");
        await page.keyboard.type(another);
        await page.keyboard.press("Enter");
        await page.getByText("Your password is changed").waitFor();
        expect(page.url()).toBe(`${service.url}/dashboard/account`);
        await board.getByRole("heading", { name: "Sign in" }).waitFor();
        expect(faults).toEqual([]);
      },
    );

    test("shows the error on a page that fits, and axe-core reports no violations", async () => {
      const visitor = await signedInVisitor(service, await service.clinic());
      const { page, faults } = await signedInPage(browser(), visitor, { reducedMotion: "reduce" });
      await page.goto(`${service.url}/dashboard/account`);
      await page.getByLabel("Current password").fill("this is not the password");
      await page.getByLabel("New password", { exact: true }).fill(another);
      await page.getByLabel("New password again").fill(another);
      await page.getByRole("button", { name: "Change the password" }).click();
      await page.getByText("This is not your password.").waitFor();
      await expectFits(page, "a wrong password", { targets: true });
      expect(faults).toEqual([]);
    });
  },
);
