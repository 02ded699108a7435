import { callNext, setQueueFlags } from "@queue-api/server";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { noBrowser, theBrowser } from "../support/browser.js";
import { type Served, serveExample, startClinic } from "./example.js";

test("a request that is not JSON gets 400, and nothing of it is in the kiosk's log", async () => {
  const { env } = await startClinic({});
  const { url, started } = await serveExample("kiosk/server.js", env);
  const headers = { "Content-Type": "application/json" };
  const body = '{"order":"order-00003","name":"Customer 2",';
  const { status } = await fetch(`${url}/tokens`, { method: "POST", headers, body });
  expect(status).toBe(400);
  await expect.poll(() => started.written.stderr).toContain("entity.parse.failed");
  expect(started.written.stderr).not.toContain("Customer 2");
});

describe.skipIf(noBrowser)(`the kiosk in a browser${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  let served: Served;
  let context: BrowserContext;
  let page: Page;

  beforeEach(async () => {
    const entries = [{ ref: "first", name: "Customer 1", phone: "919800000001" }];
    served = await startClinic({ queues: [{ ref: "front", name: "Front desk", entries }] });
    const { url } = await serveExample("kiosk/server.js", served.env);
    context = await (await theBrowser()).newContext();
    page = await context.newPage();
    await page.clock.install();
    await page.goto(url);
  });
  afterEach(() => context?.close());

  const fill = async () => {
    await page.getByLabel("Your name").fill("Customer 2");
    await page.getByLabel("Your phone number").fill("+91 98000 00002");
  };
  const button = () => page.getByRole("button", { name: "Take a token" });
  const ticket = async () => {
    await page.locator("#ticket").waitFor();
    return [await page.locator("#token").textContent(), await page.locator("#place").textContent()];
  };
  const tokens = () => served.tokens("front");
  const callNextOne = () => callNext(served.store, served.clinic.queue(), Date.now());

  it("issues a token, and shows its position until the customer is called and the next one comes", async () => {
    const bodies: string[] = [];
    page.on("response", async (answer) => bodies.push(await answer.text().catch(() => "")));
    await fill();
    await button().click();
    expect(await ticket()).toEqual(["A2", "You are number 2 in line."]);
    expect(await page.locator("#order").isVisible()).toBe(false);
    await callNextOne();
    await page.clock.fastForward(5_000);
    await page.getByText("You are number 1 in line").waitFor();
    await callNextOne();
    await page.clock.fastForward(5_000);
    await page.getByText("It is your turn. Please come in.").waitFor();
    await page.getByRole("button", { name: "Next customer" }).click();
    await fill();
    await button().click();
    expect((await ticket())[0]).toBe("A3");
    await expect.poll(() => bodies.length).toBeGreaterThan(3);
    expect(bodies.join()).not.toMatch(/svc_live|98000|Customer 2/);
  });

  it("issues one token for a double tap, also if both taps are sent", async () => {
    await fill();
    const taps = 'for (const tap of [1, 2]) document.querySelector("#order").requestSubmit()';
    await page.evaluate(taps);
    await ticket();
    expect(await tokens()).toEqual(["A1", "A2"]);
  });

  it("issues one token when the response to the page is lost", async () => {
    let lost = 0;
    await page.route("**/tokens", async (route) => {
      if (lost++ > 0) return route.continue();
      await route.fetch(); // the back end responds, and the page never receives it
      await route.abort("connectionreset");
    });
    await fill();
    await button().click();
    await expect.poll(() => lost).toBe(1);
    await page.clock.fastForward(60_000);
    expect((await ticket())[0]).toBe("A2");
    expect(lost).toBe(2);
    expect(await tokens()).toEqual(["A1", "A2"]);
  });

  it("issues one token when the page is reloaded before the response arrives", async () => {
    await page.route("**/tokens", async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    });
    await fill();
    await button().click();
    await expect.poll(tokens).toEqual(["A1", "A2"]);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" }); // after the reload, because a retry of the old page would succeed
    await fill();
    await button().click();
    expect((await ticket())[0]).toBe("A2");
    expect(await tokens()).toEqual(["A1", "A2"]);
  });

  it("names the field to correct", async () => {
    await page.getByLabel("Your name").fill("Customer 2");
    await page.getByLabel("Your phone number").fill("12");
    await button().click();
    await page.getByText("Please check your phone number.").waitFor();
    await page.getByLabel("Your phone number").fill("+91 98000 00002");
    await button().click();
    expect((await ticket())[0]).toBe("A2");
  });

  it("reports that the queue is paused", async () => {
    await setQueueFlags(served.store, served.clinic.queue(), { isTokenCreationPaused: true });
    await fill();
    await button().click();
    await page.getByText("No new tokens at the moment.").waitFor();
    expect(await tokens()).toEqual(["A1"]);
  });
});
