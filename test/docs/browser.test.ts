import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectFits, violationsOf } from "../dashboard/support/accessibility.js";
import { noBrowser } from "../support/browser.js";
import { completed } from "../support/run.js";
import { servedDocs } from "./support/served-docs.js";

describe.skipIf(noBrowser)(
  `the pages in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  async () => {
    const docs = await servedDocs();

    it("can be read without scripts: every sample, the navigation, each expanded field", async () => {
      const { page, faults } = await docs.open("/reference/createEntry", {
        javaScriptEnabled: false,
        viewport: { width: 390, height: 844 },
      });
      await page.getByText("curl -X POST").first().waitFor();
      await page.getByText("Python", { exact: true }).last().click();
      await page.getByText("import urllib.request").first().waitFor();
      expect(await page.locator(".sample.curl").isVisible()).toBe(false);
      expect(await page.getByRole("button", { name: "Search" }).count()).toBe(0);
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("link", { name: "List queues" }).click();
      await page.waitForURL("**/docs/reference/listQueues");
      expect(faults).toEqual([]);
    });

    it("copy themselves as Markdown", async () => {
      const { page, faults } = await docs.open("/reference/getMe");
      await page.getByRole("button", { name: "Copy as Markdown" }).click();
      await page.getByText("Copied").waitFor();
      const copied = await page.evaluate("navigator.clipboard.readText()");
      expect(copied).toBe(await (await fetch(`${docs.url}/docs/reference/getMe.md`)).text());
      expect(faults).toEqual([]);
      await page.goto(`${docs.url}/docs/try`);
      expect(await page.getByRole("button", { name: "Copy as Markdown" }).count()).toBe(0);
    });

    it("close the menu of a phone when it leads to a section of the page", async () => {
      const viewport = { width: 390, height: 844 };
      const { page } = await docs.open("/any-language", { viewport });
      await page.getByRole("button", { name: "Menu" }).click();
      await page.locator("#nav").getByRole("link", { name: "Python", exact: true }).click();
      await expect.poll(() => page.locator(":target").textContent()).toBe("Python");
      expect(await page.locator("#nav").isVisible()).toBe(false);
    });

    it("have the font and the logo of the dashboard", async () => {
      const { page, faults } = await docs.open("");
      const font = "getComputedStyle(document.body).fontFamily";
      expect(await page.evaluate(font)).toMatch(/^Figtree,/);
      expect(await page.evaluate("document.fonts.ready.then((all) => all.size > 0)")).toBe(true);
      expect(await page.evaluate("document.fonts.check('1rem Figtree')")).toBe(true);
      expect(faults).toEqual([]);
      const logoOf = async (path: string) => {
        await page.goto(docs.url + path);
        const logo = await page.locator("link[rel=icon]").getAttribute("href");
        return (await fetch(new URL(logo ?? "", page.url()))).text();
      };
      expect(await logoOf("/docs")).toBe(await logoOf("/dashboard/sign-in"));
    });

    describe("the search", () => {
      const results = (page: Page) => page.locator(".search li").allInnerTexts();
      const search = async (page: Page, query: string) => {
        await page.keyboard.press("/");
        await page.getByRole("combobox", { name: "Search" }).fill(query);
        await page.locator(".search li").first().waitFor();
      };

      it.each([
        ["create token", "/docs/reference/createEntry"],
        ["queue_paused", "/docs/errors#queue_paused"],
        ["predictedWaitMinutes", "/docs/schemas#Entry.predictedWaitMinutes"],
        ["idempotency-key", "/docs/reference/createEntry#Idempotency-Key"],
        ["entries.watch", "/docs/sdk-reference#api.entries.watch"],
        ["seed file", "/docs/seed"],
        ["cancle", "/docs/reference/cancelEntry"],
        ["webhook", "/docs/any-language#webhooks-and-polling"],
        ["rate limit", "/docs/any-language#rate-limits"],
      ])("finds %s by the keyboard alone", async (query, target) => {
        const { page, faults } = await docs.open("/reference/getMe");
        await search(page, query);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${docs.url}${target}`);
        expect(faults).toEqual([]);
      });

      it("supports the arrow keys, shows that nothing was found, and closes", async () => {
        const { page, faults } = await docs.open("/errors");
        await search(page, "queue");
        const found = await results(page);
        expect(found.length).toBeGreaterThan(5);
        const field = page.getByRole("combobox", { name: "Search", expanded: true });
        const selected = async () => {
          const [chosen = "", ...others] = await page
            .getByRole("option", { selected: true })
            .allInnerTexts();
          const id = await field.getAttribute("aria-activedescendant");
          const isChosen = await page.locator(`#${id}`).getAttribute("aria-selected");
          expect([others, isChosen]).toEqual([[], "true"]);
          return chosen;
        };
        expect(await page.getByRole("listbox").getByRole("option").count()).toBe(found.length);
        expect(await selected()).toBe(found[0]);
        await page.keyboard.press("ArrowDown");
        expect(await selected()).toBe(found[1]);
        await page.keyboard.press("ArrowUp");
        await page.keyboard.press("ArrowUp");
        expect(await selected()).toBe(found.at(-1));
        expect(await violationsOf(page)).toEqual([]);
        await page.keyboard.type("s"); // the focus is still in the field
        expect(await page.locator(":focus").inputValue()).toBe("queues");
        await page.getByRole("combobox", { name: "Search" }).fill("zzzzzz");
        await page.getByText("Nothing found.").waitFor();
        await page.keyboard.press("Escape");
        expect(await page.getByRole("dialog").count()).toBe(0);
        expect(faults).toEqual([]);
      });
    });

    it("copies code, and remembers the language of the samples", async () => {
      const { page } = await docs.open("/reference/getMe");
      await page.getByText("Go", { exact: true }).click();
      const sample = page.locator(".sample.go");
      await sample.hover();
      await sample.getByRole("button", { name: "Copy" }).click();
      await sample.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^package main\n/);
      await page.goto(`${docs.url}/docs/reference/listQueues`);
      expect(await page.locator(".sample.go").isVisible()).toBe(true);
    });

    describe("the page for trying requests", () => {
      const useKey = async (page: Page, given: string) => {
        await page.getByLabel("API key of a sandbox business").fill(given);
        await page.getByRole("button", { name: "Use key" }).click();
      };
      const expectSent = async (page: Page, status: number) => {
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByRole("heading", { name: `Response ${status}` }).waitFor();
      };

      it("sends a creation and its replay, with a key that is only in the page's memory", async () => {
        const { page, faults } = await docs.open("/try#createEntry");
        const sent: string[] = [];
        page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
        await useKey(page, docs.key);
        await page.getByText("of Sunrise Clinic is in the memory of this page").waitFor();
        await expectSent(page, 201);
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByText("Idempotent-Replay: true").waitFor();

        expect(sent.length).toBeGreaterThan(3);
        const origin = new URL(docs.url).origin;
        for (const line of sent) expect(line).toMatch(new RegExp(`^(GET|POST) ${origin}/v1/`));
        expect(sent.join()).not.toContain("svc_live_");
        const stored = await page.evaluate(
          "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML, [...document.querySelectorAll('input, textarea')].map((one) => one.value)])",
        );
        expect(stored).not.toContain(docs.key.split("_")[3]);
        expect(await page.context().storageState({ indexedDB: true })).toEqual({
          cookies: [],
          origins: [],
        });
        await expectFits(page, "a response");
        expect(faults).toEqual([]);
      });

      it("suggests the ids of earlier responses, and forgets the key when asked or left", async () => {
        const { page } = await docs.open("/try#getQueue");
        await useKey(page, docs.key);
        await expect
          .poll(() => page.locator("form:visible").getByLabel("queueId").inputValue())
          .toMatch(/^\w{20,32}$/);
        await expectSent(page, 200);
        await page.getByRole("button", { name: "Forget key" }).click();
        await expectSent(page, 401);
        await useKey(page, docs.key);
        await page.getByRole("button", { name: "Forget key" }).waitFor();
        await page.goto(`${docs.url}/docs`);
        await page.goBack();
        await page.locator("form:visible").getByLabel("queueId").fill("x".repeat(20));
        await expectSent(page, 401);
      });

      it("sends nothing while an id is missing, and says so in its field", async () => {
        const { page } = await docs.open("/try#getEntry");
        const sent: string[] = [];
        page.on("request", (request) => sent.push(request.url()));
        await page.getByRole("button", { name: "Send" }).click();
        const field = page.locator("form:visible").getByLabel("entryId");
        expect(await page.locator(":focus").getAttribute("id")).toBe("getEntry-entryId");
        const missing = page.locator("form:visible").getByText("Enter the entryId");
        await missing.waitFor();
        expect(sent).toEqual([]);
        expect(await violationsOf(page)).toEqual([]);
        await field.fill("01K2Q7M8Zb4nT6wXc9RvYd3F");
        expect(await missing.isVisible()).toBe(false);
        await expectSent(page, 401);
      });

      it("links the docUrl of an error to its section, and shows no response of another request", async () => {
        const { page } = await docs.open("/try#getMe");
        await expectSent(page, 401);
        const opened = page.waitForEvent("popup");
        await page.getByRole("link", { name: /\/docs\/errors#unauthorized$/ }).click();
        await (await opened).waitForURL("**/docs/errors#unauthorized");
        await page.locator("#operation").selectOption("listQueues");
        expect(await page.getByRole("heading", { name: "Response" }).count()).toBe(0);
      });

      it("copies the request as curl, without the key", async () => {
        const { page } = await docs.open("/try#createEntry");
        await useKey(page, docs.key);
        await page.getByText("is in the memory").waitFor();
        await page.getByLabel("Body").fill(`{"name":"Anna O'Neil","phone":"+91 98000 00001"}`);
        await page.getByRole("button", { name: "Copy as curl" }).click();
        await page.getByRole("button", { name: "Copied" }).waitFor();
        const copied = String(await page.evaluate("navigator.clipboard.readText()"));
        expect(copied).not.toContain(docs.key);
        const { stdout } = await completed("sh", ["-c", `${copied} -sS`], {
          env: { PATH: process.env.PATH, QUEUE_API_KEY: docs.key },
        });
        expect(JSON.parse(stdout).data.customer.name).toBe("Anna O'Neil");
      });

      it("explains why the key of a real business is refused, and forgets it", async () => {
        const { page } = await docs.open("/try#listQueues");
        const business = await docs.store.businesses.find("slug", "demo");
        if (!business) throw new Error("there is no demo");
        await docs.store.businesses.change(business.id, { sandbox: false });
        onTestFinished(async () => {
          await docs.store.businesses.change(business.id, { sandbox: true });
        });
        await useKey(page, docs.key);
        await page.getByText("a business that is not a sandbox").waitFor();
        await expectSent(page, 401);
      });

      it("does not execute markup in a response", async () => {
        const { page, faults } = await docs.open("/try#createEntry");
        await useKey(page, docs.key);
        await page.getByText("is in the memory").waitFor();
        const name = '<img src=x onerror="document.title=1">';
        await page.getByLabel("Body").fill(JSON.stringify({ name, phone: "+91 98000 00001" }));
        await expectSent(page, 201);
        await page.getByText(JSON.stringify(name).slice(1, -1)).last().waitFor();
        expect(await page.locator("#try img").count()).toBe(0);
        expect(faults).toEqual([]);
      });
    });
  },
);
