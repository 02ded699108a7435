import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noBrowser, otherHost } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { violationsOf } from "./support/accessibility.js";
import { busyClinic } from "./support/board.js";
import { boardOpener, isLive, isMarked, line, mark, setHidden } from "./support/open-board.js";
import { restartableService } from "./support/restartable.js";
import { signedInVisitor } from "./support/visitor.js";

const service = await testService();

describe.skipIf(noBrowser)(`the board's connection${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const { open, openBoard } = boardOpener(service);

  describe("with a lost connection", () => {
    const lost = (page: Page) => page.getByText("Connection lost. Trying again…").waitFor();

    test("shows a message, and reconnects with the typed text and without a page load", async () => {
      const { service: own, stop, start } = await restartableService();
      const clinic = await own.clinic({ keys: [wideKey], ...busyClinic });
      const { page, front } = await openBoard(clinic, {}, own);
      await mark(page);
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Half typed");
      await stop();
      await lost(page);
      await page.setViewportSize({ width: 390, height: 400 });
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      expect((await page.locator("#live.lost").boundingBox())?.y).toBe(0);
      await own.owner.next(clinic.queue());
      await start();
      await isLive(page);
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
      expect(await front.getByLabel("Name").inputValue()).toBe("Half typed");
      expect(await isMarked(page)).toBe(true);
    });

    test("keeps the board when something is tapped without a network, and finds who was asked for meanwhile", async () => {
      const { page, context } = await open();
      await mark(page);
      await context.setOffline(true);
      await lost(page);
      for (const target of [
        page.locator("button.call").first(),
        page.locator("a.who").first(),
        page.getByRole("link", { name: "Keys" }),
      ]) {
        await page.evaluate("document.getElementById('flash').replaceChildren()");
        await target.click();
        await page.getByText("There is no connection to the server").waitFor();
      }
      expect(await violationsOf(page)).toEqual([]);
      const failed = page.waitForEvent("requestfailed", (request) =>
        request.url().includes("/find"),
      );
      await page.locator("#find").fill("urgent");
      await failed;
      expect(await isMarked(page)).toBe(true);
      await context.setOffline(false);
      await isLive(page);
      await expect.poll(() => page.locator("#flash .flash").count()).toBe(0);
      await page.locator("#found").getByText("Person urgent").waitFor();
    });

    test("says so in the card that is open, which hides the rest of the page", async () => {
      const { page, context } = await open();
      await page.getByRole("link", { name: /^A5 / }).click();
      const said = page.locator("dialog [role=status]");
      await page.getByRole("dialog").waitFor();
      await context.setOffline(true);
      await expect.poll(() => said.textContent()).toBe("Connection lost. Trying again…");
      await page.getByText("Correct", { exact: true }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => said.textContent()).toContain("Check whether it was done");
      await page.waitForEvent("requestfailed"); // of the board
      expect(await said.textContent()).toContain("Check whether it was done");
      expect(await violationsOf(page)).toEqual([]);
      await context.setOffline(false);
      await expect.poll(() => said.textContent()).toBe("");
    });

    test("offers a button again whose request had no response", async () => {
      const { page, front } = await open();
      await page.evaluate(`
        const timeout = AbortSignal.timeout.bind(AbortSignal);
        AbortSignal.timeout = (ms) => timeout(ms / 100);
      `);
      await page.route("**/dashboard/board", () => {}); // never answered
      const next = front.getByRole("button", { name: /^Call next A7/ });
      await next.click();
      await page.getByText("Check whether it was done before you try again.").waitFor();
      await expect.poll(() => next.getAttribute("aria-disabled")).toBeNull();
    });

    test("says that its page is of an earlier session, and keeps the typed text when it is loaded again", async () => {
      const { clinic, owner, page, context, front } = await open();
      const { cookies } = await signedInVisitor(service, clinic, owner);
      const place = { domain: "127.0.0.1", path: "/dashboard" };
      for (const [name, value] of cookies) await context.addCookies([{ ...place, name, value }]);
      await front.getByText("Add a walk-in").click();
      await front.getByLabel("Name").fill("Half typed");
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await page.getByText("This page is too old, so nothing was done. Reload the page.").waitFor();
      await page.reload();
      await isLive(page);
      expect(await front.getByLabel("Name").inputValue()).toBe("Half typed");
    });

    test("by a gateway acts on its buttons, and shows the missed changes without a page load", async () => {
      const { clinic, page, context, front } = await open();
      await mark(page);
      const answer = { status: 404, body: "404 page not found" };
      await context.route("**/dashboard", (route) => route.fulfill(answer));
      await lost(page);
      await service.owner.next(clinic.queue());
      await front.getByRole("button", { name: /^Call next A7/ }).click();
      await page.getByText("A7 was called already. Nothing was changed.").waitFor();
      await context.unroute("**/dashboard");
      await expect.poll(() => line(page)).toEqual(["A5", "A6"]);
      expect(await isMarked(page)).toBe(true);
    });
  });

  test("requests nothing in a hidden tab, and shows the missed changes when it is visible again", async () => {
    const { clinic, page } = await open();
    await mark(page);
    await setHidden(page, true);
    await page.getByText("Connecting…").waitFor();
    await clinic.client().create(clinic.queue());
    await service.owner.next(clinic.queue());
    expect(await line(page)).toEqual(["A7", "A5", "A6"]);
    await setHidden(page, false);
    await isLive(page);
    expect(await line(page)).toEqual(["A5", "A6", "A8"]);
    expect(await isMarked(page)).toBe(true);
  });

  test("leads to the sign-in when its session ends, also over plain HTTP, where browsers send no Sec-Fetch-Dest", async () => {
    const baseURL = service.url.replace("127.0.0.1", otherHost);
    const { clinic, page } = await open(busyClinic, { baseURL });
    const look = page.waitForRequest((request) => request.url().endsWith("/dashboard"));
    for (const { id } of await service.store.accounts.list(clinic.id))
      await service.store.sessions.endAll(clinic.id, id);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await (await look).allHeaders()).not.toHaveProperty("sec-fetch-dest");
  });

  test("opens only the sign-in page on a sign-out, even when the board learns of it before", async () => {
    const { page, context } = await open();
    const visits: string[] = [];
    const look = gate();
    await context.route("**/dashboard", async (route) => {
      await look.pass();
      await route.fallback();
    });
    look.close();
    await look.reached(1);
    const learned = Promise.race([
      page.waitForResponse((response) => response.status() === 401),
      page.waitForEvent("requestfailed"), // Firefox ends the request when the form is sent
    ]);
    page.on("request", (request) => {
      if (request.isNavigationRequest()) visits.push(new URL(request.url()).pathname);
    });
    const form = "String(new URLSearchParams(new FormData(document.querySelector('.sign-out'))))";
    const postData = String(await page.evaluate(form)); // Playwright does not get it from Firefox
    await page.route("**/sign-out", async (route) => {
      const response = await route.fetch({ maxRedirects: 0, postData });
      look.open();
      await learned;
      await route.fulfill({ response });
    });
    await page.locator(".top .menu summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(visits).toEqual(["/dashboard/sign-out", "/dashboard/sign-in"]);
  });
});
