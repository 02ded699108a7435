import { routes } from "@queue-api/contract";
import {
  openStore,
  pooledRandom,
  prepareDemo,
  readConfig,
  type Store,
  startServer,
  systemClock,
} from "@queue-api/server";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectFits, overflowOf, violationsOf } from "../dashboard/support/accessibility.js";
import { sharedBrowser } from "../dashboard/support/browser.js";
import { noBrowser } from "../support/browser.js";

/** One page of each kind. Pages of the same kind differ only in text. */
const kinds = [
  ...["", "/first-token", "/errors", "/dashboard", "/reference", "/reference/createEntry"],
  ...["/schemas", "/sdk", "/sdk-reference", "/try", "/nope"],
];
const others = [
  ...["/any-language", "/testing", "/seed"],
  ...Object.values(routes)
    .flatMap((noun) => Object.values(noun))
    .map(({ metadata }) => `/reference/${metadata.operationId}`),
];

describe.skipIf(noBrowser)(`the pages in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const browser = sharedBrowser();
  let store: Store;
  let server: Awaited<ReturnType<typeof startServer>>;
  let key: string;

  beforeAll(async () => {
    store = await openStore("memory:", { clock: systemClock, random: pooledRandom() });
    server = await startServer({ store, config: { ...readConfig({}), port: 0 }, tryIt: true });
    ({ key } = await prepareDemo(store, systemClock(), pooledRandom()));
  });
  afterAll(async () => {
    await server?.close();
    await store?.close();
  });

  /** A page in a new browser context. `faults` has its console errors and failed requests. */
  async function open(path: string, options: BrowserContextOptions = {}) {
    const context = await browser().newContext({
      ...{ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" },
      ...options,
    });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => faults.push(message.text()));
    page.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`));
    await page.goto(`${server.url}/docs${path}`);
    return { page, faults };
  }

  it.each(kinds)("/docs%s fits, and axe-core reports no violations", async (path) => {
    const { page, faults } = await open(path);
    for (const summary of await page.locator("summary").all()) await summary.click();
    await expectFits(page, path);
    expect(faults.filter((fault) => path !== "/nope" || !fault.includes("404"))).toEqual([]);
  });

  it("all fit the screen, and their scripts report no error", async () => {
    const { page, faults } = await open("");
    for (const path of others) {
      await page.goto(`${server.url}/docs${path}`);
      for (const width of [1440, 820, 390]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowOf(page), `${path}, ${width} pixels wide`).toBe(0);
      }
    }
    expect(faults).toEqual([]);
  });

  it("can be read without scripts: every sample, the navigation, each expanded field", async () => {
    const { page, faults } = await open("/reference/createEntry", {
      ...{ javaScriptEnabled: false, viewport: { width: 390, height: 844 } },
    });
    await expectVisible(page, "text=curl -X POST");
    await page.getByRole("radio", { name: "Python" }).check();
    await expectVisible(page, "text=import urllib.request");
    expect(await page.locator(".sample.curl").isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: "Search" }).count()).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "List queues" }).click();
    await page.waitForURL("**/docs/reference/listQueues");
    expect(faults).toEqual([]);
  });

  it("open at the error that docUrl names", async () => {
    const refused = await fetch(`${server.url}/v1/me`);
    const { error } = (await refused.json()) as { error: { docUrl: string } };
    const { page } = await open(error.docUrl.slice(`${server.url}/docs`.length));
    expect(await page.locator(":target").textContent()).toBe("unauthorized");
    expect(await page.evaluate("scrollY")).toBeGreaterThan(500);
  });

  it.each([
    ["createEntry", "/docs/reference/createEntry"],
    ["Entry", "/docs/schemas#Entry"],
  ])("redirect from the earlier anchor reference#%s", async (anchor, target) => {
    const { page } = await open(`/reference#${anchor}`);
    await page.waitForURL(`${server.url}${target}`);
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
    ])("finds %s by the keyboard alone", async (query, target) => {
      const { page, faults } = await open("/reference/getMe");
      await search(page, query);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${server.url}${target}`);
      expect(faults).toEqual([]);
    });

    it("supports the arrow keys, shows that nothing was found, and closes", async () => {
      const { page, faults } = await open("/errors");
      await search(page, "queue");
      const found = await results(page);
      expect(found.length).toBeGreaterThan(5);
      const selected = () => page.locator("[aria-selected=true]").innerText();
      expect(await selected()).toBe(found[0]);
      await page.keyboard.press("ArrowDown");
      expect(await selected()).toBe(found[1]);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      expect(await selected()).toBe(found.at(-1));
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("combobox", { name: "Search" }).fill("zzzzzz");
      await page.getByText("Nothing found.").waitFor();
      await page.keyboard.press("Escape");
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(faults).toEqual([]);
    });
  });

  it("copies code, and remembers the language of the samples", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page } = await open("/reference/getMe", { permissions });
    await page.getByRole("radio", { name: "Go" }).check();
    const sample = page.locator(".sample.go");
    await sample.hover();
    await sample.getByRole("button", { name: "Copy" }).click();
    await sample.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^package main\n/);
    await page.goto(`${server.url}/docs/reference/listQueues`);
    expect(await page.locator(".sample.go").isVisible()).toBe(true);
  });

  describe("the page for trying requests", () => {
    const useKey = async (page: Page, given: string) => {
      await page.getByLabel("API key of a sandbox business").fill(given);
      await page.getByRole("button", { name: "Use key" }).click();
    };

    it("sends a creation and its replay, with a key that is only in the page's memory", async () => {
      const { page, faults } = await open("/try#createEntry");
      const sent: string[] = [];
      page.on("request", (request) => sent.push(`${request.method()} ${request.url()}`));
      await useKey(page, key);
      await page.getByText("of Sunrise Clinic is in the memory of this page").waitFor();
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("heading", { name: "Answer 201" }).waitFor();
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Idempotent-Replay: true").waitFor();

      expect(sent.length).toBeGreaterThan(3);
      const origin = new URL(server.url).origin;
      for (const line of sent) expect(line).toMatch(new RegExp(`^(GET|POST) ${origin}/v1/`));
      expect(sent.join()).not.toContain("svc_live_");
      const stored = await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML, [...document.querySelectorAll('input, textarea')].map((one) => one.value)])",
      );
      expect(stored).not.toContain(key.split("_")[3]);
      expect(await page.context().storageState({ indexedDB: true })).toEqual({
        cookies: [],
        origins: [],
      });
      await expectFits(page, "a response");
      expect(faults).toEqual([]);
    });

    it("suggests the ids of earlier responses", async () => {
      const { page } = await open("/try#getQueue");
      await useKey(page, key);
      await expect.poll(() => page.getByLabel("queueId").inputValue()).toMatch(/^\w{20,32}$/);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("heading", { name: "Answer 200" }).waitFor();
    });

    it("forgets the key on request, and when the page is closed", async () => {
      const { page } = await open("/try#getMe");
      await useKey(page, key);
      await page.getByRole("button", { name: "Forget key" }).click();
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("heading", { name: "Answer 401" }).waitFor();
      await useKey(page, key);
      await page.getByRole("button", { name: "Forget key" }).waitFor();
      await page.goto(`${server.url}/docs`);
      await page.goBack();
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("heading", { name: "Answer 401" }).waitFor();
    });

    it("explains why the key of a real business is refused, and forgets it", async () => {
      const { page } = await open("/try#listQueues");
      const business = await store.businesses.bySlug("demo");
      if (!business) throw new Error("there is no demo");
      await store.businesses.change(business.id, { sandbox: false });
      onTestFinished(async () => {
        await store.businesses.change(business.id, { sandbox: true });
      });
      await useKey(page, key);
      await page.getByText("a business that is not a sandbox").waitFor();
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("heading", { name: "Answer 401" }).waitFor();
    });

    it("does not execute markup in a response", async () => {
      const { page, faults } = await open("/try#createEntry");
      await useKey(page, key);
      await page.getByText("is in the memory").waitFor();
      const name = '<img src=x onerror="document.title=1">';
      await page.getByLabel("Body").fill(JSON.stringify({ name, phone: "+91 98000 00001" }));
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("heading", { name: "Answer 201" }).waitFor();
      await page.getByText(JSON.stringify(name).slice(1, -1)).last().waitFor();
      expect(await page.locator("#try img").count()).toBe(0);
      expect(faults).toEqual([]);
    });
  });
});

async function expectVisible(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor({ state: "visible" });
}
