import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { noBrowser, theBrowser } from "../support/browser.js";
import { testService } from "../support/service.js";
import { expectFits } from "./support/accessibility.js";
import { inviteOwner, newOwner, password } from "./support/visitor.js";

describe.skipIf(noBrowser)(
  `signing in with a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  async () => {
    const service = await testService();
    let browser: Browser;

    beforeAll(async () => {
      browser = await theBrowser();
    });

    /** A page in a new browser context, with its console messages and script errors. */
    async function open(
      options: BrowserContextOptions = {},
    ): Promise<{ page: Page; faults: string[] }> {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("console", (message) => {
        if (message.type() !== "info") faults.push(message.text());
      });
      page.on("pageerror", (error) => faults.push(error.message));
      return { page, faults };
    }

    const at = (path: string) => `${service.url}/dashboard${path}`;

    test.each([
      ["with JavaScript", true],
      ["without JavaScript", false],
    ])(
      "by the keyboard alone: set a password, sign out, sign in (%s)",
      async (_, javaScriptEnabled) => {
        const owner = await inviteOwner(service, await service.clinic());
        const { page, faults } = await open({ javaScriptEnabled });
        await page.goto(at(`/set-password?token=${owner.linkToken}`));
        await page.getByLabel("Password", { exact: true }).focus();
        await page.keyboard.type(password);
        await page.keyboard.press("Tab");
        await page.keyboard.type(password);
        await page.keyboard.press("Enter");
        await page.getByText("Your password is set").waitFor();
        expect(page.url()).toBe(at(""));

        await page.locator(".top .menu summary").focus();
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Sign out" }).focus();
        await page.keyboard.press("Enter");
        await page.getByText("You are signed out.").waitFor();

        await page.getByLabel("E-mail address").focus();
        await page.keyboard.type(owner.email);
        await page.keyboard.press("Tab");
        await page.keyboard.type(password);
        await page.keyboard.press("Enter");
        await page.locator(".top .menu").waitFor();
        expect(page.url()).toBe(at(""));
        expect(faults).toEqual([]);
        await page.context().close();
      },
    );

    test("a session that ends redirects to the sign-in, and then back to the same page", async ({
      skip,
    }) => {
      const { clock } = service;
      if (!clock) return skip("this server runs elsewhere: its clock cannot be moved");
      const owner = await newOwner(service, await service.clinic());
      const { page } = await open();
      const signIn = async () => {
        await page.getByLabel("E-mail address").fill(owner.email);
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
      };
      await page.goto(at("/account"));
      await signIn();
      await page.getByRole("heading", { name: "Account" }).waitFor();

      clock.advance({ hours: 12 });
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.getByText("Your session has ended.").waitFor();
      await signIn();
      await page.getByRole("heading", { name: "Account" }).waitFor();
      expect(page.url()).toBe(at("/account"));
      await page.context().close();
    });

    test("scripts cannot read the cookie, and a form of another site changes nothing", async () => {
      const owner = await newOwner(service, await service.clinic());
      const { page } = await open();
      await page.goto(at("/sign-in"));
      await page.getByLabel("E-mail address").fill(owner.email);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
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
      await page.context().close();
    });

    test("each page fits, and axe-core reports no violations", async () => {
      const clinic = await service.clinic();
      const { email, linkToken } = await inviteOwner(service, clinic);
      const { page } = await open({ reducedMotion: "reduce" });
      const check = (state: string) => expectFits(page, state);

      await page.goto(at("/set-password?token=used"));
      await check("a link that is used up");
      await page.goto(at("/sign-in"));
      await check("signing in");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("Enter your e-mail address.").waitFor();
      await check("signing in, nothing typed");
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
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
      await page.context().close();
    });
  },
);
