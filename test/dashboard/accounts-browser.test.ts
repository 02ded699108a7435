import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser } from "../support/browser.js";
import { testService } from "../support/service.js";
import { expectFits } from "./support/accessibility.js";
import { sharedBrowser, signedInPage } from "./support/browser.js";
import {
  another,
  inviteOwner,
  newOwner,
  password,
  signedInVisitor,
  visitorOf,
  wrong,
} from "./support/visitor.js";

describe.skipIf(noBrowser)(
  `signing in with a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  async () => {
    const service = await testService();
    const { clock } = service;
    const browser = sharedBrowser();

    /** A page in a new browser context, where nobody is signed in. */
    const open = (options?: Parameters<typeof signedInPage>[2]) =>
      signedInPage(browser(), visitorOf(service), options);

    async function signIn(page: Page, email: string) {
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
    }

    /** Types into the fields of a form, beginning at this label, and sends it. */
    async function type(page: Page, label: string, ...texts: readonly string[]) {
      await page.getByLabel(label, { exact: true }).focus();
      for (const [at, text] of texts.entries()) {
        await page.keyboard.type(text);
        await page.keyboard.press(at === texts.length - 1 ? "Enter" : "Tab");
      }
    }

    const at = (path: string) => `${service.url}/dashboard${path}`;

    test.each([
      ["with JavaScript", true],
      ["without JavaScript", false],
    ])(
      "by the keyboard alone: set a password, sign out, sign in, change the password (%s)",
      async (_, javaScriptEnabled) => {
        const clinic = await service.clinic();
        const owner = await inviteOwner(service, clinic);
        const { page, faults } = await open({ javaScriptEnabled });
        await page.goto(at(`/set-password?token=${owner.linkToken}`));
        await type(page, "Password", password, password);
        await page.getByText("Your password is set").waitFor();
        expect(page.url()).toBe(at(""));

        await page.locator(".top .menu summary").focus();
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Sign out" }).focus();
        await page.keyboard.press("Enter");
        await page.getByText("You are signed out.").waitFor();

        await type(page, "E-mail address", owner.email, password);
        await page.locator(".top .menu").waitFor();
        expect(page.url()).toBe(at(""));

        const phone = await signedInVisitor(service, clinic, owner);
        const { page: board } = await signedInPage(browser(), phone);
        await board.goto(at(""));
        await board.getByText("Live", { exact: true }).waitFor();
        await page.goto(at("/account"));
        await type(page, "Current password", password, another, another);
        await page.getByText("Your password is changed").waitFor();
        expect(page.url()).toBe(at("/account"));
        await board.getByRole("heading", { name: "Sign in" }).waitFor();
        expect(faults).toEqual([]);
      },
    );

    test("a session that ends redirects to the sign-in, and then back to the same page", async () => {
      const { email } = await newOwner(service, await service.clinic());
      const { page } = await open();
      await page.goto(at("/account"));
      await signIn(page, email);
      await page.getByRole("heading", { name: "Account" }).waitFor();

      clock.advance({ hours: 12 });
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.getByText("Your session has ended.").waitFor();
      await signIn(page, email);
      await page.getByRole("heading", { name: "Account" }).waitFor();
      expect(page.url()).toBe(at("/account"));
    });

    test("scripts cannot read the cookie, and a form of another site changes nothing", async () => {
      const owner = await newOwner(service, await service.clinic());
      const { page } = await open();
      await page.goto(at("/sign-in"));
      await signIn(page, owner.email);
      await page.locator(".top .menu").waitFor();
      expect(await page.evaluate("document.cookie")).toBe("");

      const url = at("/sign-out");
      const attack = await page.context().newPage();
      await attack.route("http://evil.example/", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<form method="post" action="${url}"><input name="everywhere" value="yes"><button>Win</button></form>`,
        }),
      );
      await attack.goto("http://evil.example/");
      await attack.getByRole("button", { name: "Win" }).click();
      await attack.getByText("did not come from a page of the dashboard").waitFor();
      await page.reload();
      await page.locator(".top .menu").waitFor();
    });

    test("each page fits, and axe-core reports no violations", async () => {
      const clinic = await service.clinic();
      const { email, linkToken } = await inviteOwner(service, clinic);
      const { page, faults } = await open({ reducedMotion: "reduce" });
      const check = (state: string) => expectFits(page, state);

      await page.goto(at("/set-password?token=used"));
      await check("a link that is used up");
      await page.goto(at("/sign-in"));
      await check("signing in");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("Enter your e-mail address.").waitFor();
      await check("signing in, nothing typed");
      await signIn(page, email);
      await page.getByRole("alert").waitFor();
      await check("signing in, refused");
      await page.goto(at(`/set-password?token=${linkToken}`));
      await page.getByRole("button", { name: "Set the password" }).click();
      await page.getByText("this one has 0").waitFor();
      await check("setting a password that is too short");
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByLabel("Password again").fill(password);
      await page.getByRole("button", { name: "Set the password" }).click();
      await page.getByText("Your password is set").waitFor();
      await page.goto(at("/account"));
      await check("the account");
      await page.getByLabel("Current password").fill(wrong.password);
      await page.getByLabel("New password", { exact: true }).fill(another);
      await page.getByLabel("New password again").fill(another);
      await page.getByRole("button", { name: "Change the password" }).click();
      await page.getByText("This is not your password.").waitFor();
      await expectFits(page, "a wrong password", { targets: true });
      expect(faults.filter((fault) => !fault.includes("410 (Gone)"))).toEqual([]);
    });
  },
);
