import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { hashSecret } from "../../server/src/rules/key.js";
import { isFirefox, noBrowser } from "../support/browser.js";
import { wideKey } from "../support/seed.js";
import { type Service, testService } from "../support/service.js";
import { expectFits, overflowOf } from "./support/accessibility.js";
import { busyClinic, person } from "./support/board.js";
import { sharedBrowser, signedInPage } from "./support/browser.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { restartableService } from "./support/restartable.js";
import { type Visitor, visitorOf } from "./support/visitor.js";

const service = await testService();

const linkIn = (page: string) => /http[^\s<]+\/dashboard\/display\/\w{43}/.exec(page)?.[0] ?? "";

/** Sends the form that makes a link to the display, or replaces it. */
async function makeLink(visitor: Visitor, fields: Readonly<Record<string, string>> = {}) {
  const form = (await visitor.get("/dashboard/settings/display")).body;
  const [, replaces = ""] = /name="replaces" value="(.*?)"/.exec(form) ?? [];
  return visitor.submit("/dashboard/settings/display", { replaces, ...fields });
}

/** A clinic whose owner has created a link to the display. */
async function clinicWithDisplay(on: Service = service) {
  const clinic = await on.clinic({ keys: [wideKey], ...busyClinic });
  const visitor = await quicklySignedIn(on, clinic);
  const { body, status } = await makeLink(visitor);
  expect(status).toBe(201);
  return { clinic, visitor, link: linkIn(body) };
}

describe("the link to the waiting-room display", () => {
  test("opens the display without a sign-in, and shows tokens but no names or phone numbers", async () => {
    const { clinic, link } = await clinicWithDisplay();
    const { body, status } = await visitorOf(service).get(new URL(link).pathname);
    expect(status).toBe(200);
    for (const token of ["A4", "A5", "A6", "A7"]) expect(body).toContain(`<b>${token}</b>`);
    expect(body).not.toMatch(/Person|9198/);
    const stored = await service.store.businesses.find("id", clinic.id);
    const token = link.split("/").at(-1) ?? "";
    expect(stored?.displayHash).toBe(hashSecret(token));
  });

  test("is shown once, and stops working when it is replaced or revoked", async () => {
    const { visitor, link } = await clinicWithDisplay();
    const path = new URL(link).pathname;
    const stranger = visitorOf(service);
    expect((await visitor.get("/dashboard/settings")).body).not.toContain(path);
    await makeLink(visitor);
    expect((await stranger.get(path)).status).toBe(404);
    const again = await makeLink(visitor);
    const newPath = new URL(/http[^\s<]+\/display\/\w+/.exec(again.body)?.[0] ?? "").pathname;
    expect((await stranger.get(newPath)).status).toBe(200);
    await visitor.get("/dashboard/settings");
    await visitor.submit("/dashboard/settings/display/revoke");
    expect((await stranger.get(newPath)).status).toBe(404);
  });

  test("asks before it goes dark", async () => {
    const { visitor } = await clinicWithDisplay();
    expect((await visitor.get("/dashboard/settings/display")).body).toContain("goes dark now");
    for (const path of ["/dashboard/settings/display/revoke", "/dashboard/settings"])
      expect((await visitor.get(path)).body).toContain("/settings/display/revoke");
  });

  test("shows what the owner chose at any time, also after it is replaced", async () => {
    const { clinic, visitor, link } = await clinicWithDisplay();
    const lab = clinic.queue("lab");
    const shown = async (url: string) =>
      (await visitorOf(service).get(new URL(url).pathname + new URL(url).search)).body;
    const options = "/dashboard/settings/display/options";
    await visitor.submit(options, { theme: "dark", size: "150", queue: lab });
    const replaced = linkIn((await makeLink(visitor)).body);
    expect(replaced).not.toBe(link);
    const dark = await shown(replaced);
    expect(dark).toContain('data-size="150"');
    expect(dark).toContain('content="dark"');
    expect(dark).not.toContain("Front desk");
    expect(await shown(`${replaced}?size=75&queue=${clinic.queue()}`)).toMatch(
      /data-size="75".*Front desk/s,
    );
    const settings = (await visitor.get("/dashboard/settings")).body;
    expect(settings).toContain('<option value="dark" selected>');
    expect(settings).toContain('<option value="150" selected>');
    expect([...settings.matchAll(/name="queue" value="(\w+)" checked/g)]).toMatchObject([
      { 1: lab },
    ]);
    await visitor.submit(options, { theme: "", size: "", queue: [lab, clinic.queue()] });
    expect(await shown(replaced)).toMatch(/Front desk.*Laboratory/s);
  });

  test("cannot be created without a sign-in", async () => {
    await clinicWithDisplay();
    const { status, location } = await visitorOf(service).submit("/dashboard/settings/display");
    expect([status, location?.startsWith("/dashboard/sign-in")]).toEqual([303, true]);
  });
});

describe.skipIf(noBrowser)(`the waiting-room display${noBrowser ? ` (${noBrowser})` : ""}`, () => {
  const browser = sharedBrowser();

  async function open(on: Service = service, query = "") {
    const { clinic, visitor, link } = await clinicWithDisplay(on);
    const { page, context, faults } = await signedInPage(browser(), visitorOf(on), {
      reducedMotion: "reduce",
    });
    await page.goto(link + query);
    return { clinic, visitor, link, page, context, faults };
  }

  const called = (page: Page) => page.locator("[data-call] b").allTextContents();
  const chimes = (page: Page) => page.locator("#display").getAttribute("data-chimes");
  const lost = (page: Page) => page.getByText("Not live since");

  test("shows a call at once, and chimes only for calls", async () => {
    const { clinic, page, faults } = await open();
    expect(await called(page)).toEqual(["A4"]);
    await service.owner.next(clinic.queue());
    await expect.poll(() => called(page)).toEqual(["A7", "A4"]);
    expect(await chimes(page)).toBe("1");
    await clinic.client().create(clinic.queue());
    await page.getByText("3 waiting").waitFor();
    const { id } = clinic;
    await service.store.entries.move(id, clinic.entry("urgent"), "complete", service.now());
    await expect.poll(() => called(page)).toEqual(["A4"]);
    expect(await chimes(page)).toBe("1");
    expect(await page.content()).not.toContain("Person");
    expect(faults).toEqual([]);
  });

  test("shows the counter of a call, and chimes again when a person is called again", async () => {
    const { clinic, page } = await open();
    const call = { counter: "Counter 2" };
    const { id } = clinic;
    const { entries } = service.store;
    await entries.move(id, clinic.entry("urgent"), "call", service.now(), call);
    await page.locator("[data-call]", { hasText: "A7 Counter 2" }).waitFor();
    service.clock.advance({ minutes: 1 });
    await entries.move(id, clinic.entry("urgent"), "call-again", service.now(), call);
    await expect.poll(() => chimes(page)).toBe("2");
    service.clock.advance({ minutes: 1 });
    await entries.move(id, clinic.entry("served"), "call-again", service.now());
    await expect.poll(() => called(page)).toEqual(["A4", "A7"]);
    await page.reload();
    expect(await called(page)).toEqual(["A4", "A7"]);
  });

  test("frames a call for half a minute, whatever else happens in the queue", async () => {
    const { clinic, page } = await open();
    await page.clock.install();
    await service.owner.next(clinic.queue());
    const framed = page.locator("[data-call].new");
    await framed.getByText("A7").waitFor();
    await clinic.client().create(clinic.queue());
    await page.getByText("3 waiting").waitFor();
    expect(await framed.allTextContents()).toEqual(["A7"]);
    await page.clock.fastForward(30_000);
    expect(await framed.count()).toBe(0);
  });

  // Firefox asks before it sends a form again, and no program can answer.
  test.skipIf(isFirefox)(
    "keeps its link when the page that shows the link is loaded again",
    async () => {
      const clinic = await service.clinic();
      const { page } = await signedInPage(browser(), await quicklySignedIn(service, clinic));
      await page.goto(`${service.url}/dashboard/settings`);
      await page.getByRole("button", { name: "Make the link" }).click();
      const link = linkIn((await page.locator("#the-link").textContent()) ?? "");
      await page.reload();
      await page.getByText("has made its link").waitFor();
      expect((await visitorOf(service).get(new URL(link).pathname)).status).toBe(200);
      await page.goto(`${service.url}/dashboard/settings/display/revoke`);
      await page.getByRole("button", { name: "Revoke it" }).click();
      await page.getByText("The link is revoked").waitFor();
      expect((await visitorOf(service).get(new URL(link).pathname)).status).toBe(404);
    },
  );

  test("follows the choice of its queues without a hand", async () => {
    const { clinic, page, visitor } = await open();
    await page.getByRole("heading", { name: "Front desk" }).waitFor();
    const options = { theme: "", size: "", queue: clinic.queue("lab") };
    await visitor.submit("/dashboard/settings/display/options", options);
    await page.getByRole("heading", { name: "Front desk" }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Laboratory" }).waitFor();
  });

  test("turns off at once when its link is revoked", async () => {
    const { page, visitor } = await open();
    await visitor.submit("/dashboard/settings/display/revoke");
    await page.getByRole("heading", { name: "This display is off" }).waitFor();
  });

  test("shows since when it is not live, and reconnects without a page load", async () => {
    const { service: own, stop, start } = await restartableService(onTestFinished);
    const { clinic, page } = await open(own);
    await page.evaluate("window.marked = true");
    await stop();
    await lost(page).waitFor();
    await own.owner.next(clinic.queue());
    await start();
    await lost(page).waitFor({ state: "hidden" });
    await expect.poll(() => called(page)).toEqual(["A7", "A4"]);
    expect(await page.evaluate("window.marked")).toBe(true);
  });

  test("shows the new business day after a night without a network, without a page load", async () => {
    const { service: own } = await restartableService(onTestFinished);
    const { clinic, page, context } = await open(own);
    await page.evaluate("window.marked = true");
    await context.setOffline(true);
    await lost(page).waitFor();
    own.clock.advance({ hours: 24 });
    await context.setOffline(false);
    await expect.poll(() => called(page)).toEqual([]);
    await clinic.client().create(clinic.queue());
    await own.owner.next(clinic.queue());
    await expect.poll(() => called(page)).toEqual(["A1"]);
    expect(await page.evaluate("window.marked")).toBe(true);
  });

  test("can be read at each moment of a call", async () => {
    const { clinic, page } = await open();
    for (const [token, reducedMotion] of [
      ["A7", "no-preference"],
      ["A5", "reduce"],
    ] as const) {
      await page.emulateMedia({ reducedMotion });
      await service.owner.next(clinic.queue());
      await page.locator("[data-call].new", { hasText: token }).waitFor();
      const colors = (await page.evaluate(`(() => {
        const row = document.querySelector("[data-call].new");
        const look = () => getComputedStyle(row).backgroundColor + " " + getComputedStyle(row.querySelector("b")).color;
        const [animation] = row.getAnimations();
        if (!animation) return [look()];
        animation.pause();
        return Array.from({ length: 30 }, (_, at) => {
          animation.currentTime = at * 100;
          return look();
        });
      })()`)) as string[];
      expect(new Set(colors).size).toBe(1);
      expect(colors[0]).toMatch(/^rgb(\(227, 240, 235\)|a\(0, 0, 0, 0\)) rgb\(31, 107, 87\)$/);
    }
  });

  test("shows all of eight queues on a television, and leaves out a closed one", async () => {
    const names = ["Physiotherapy and rehabilitation of the back, second floor, room 12"];
    const queues = Array.from({ length: 9 }, (_, at) => ({
      ...{ ref: `q${at}`, name: names[at] ?? `Doctor ${at}` },
      ...{ tokenSeries: "ABCDEFGHI"[at] ?? "A", isActive: at !== 8 },
      entries: at === 8 ? [] : Array.from({ length: 7 }, (_, n) => person(`${at}-${n}`)),
    }));
    const clinic = await service.clinic({ keys: [wideKey], queues });
    for (const { ref } of queues.slice(0, 8))
      for (let n = 0; n < (ref === "q1" ? 6 : 4); n++)
        await service.store.entries.move(
          ...([clinic.id, clinic.entry(`${ref.slice(1)}-${n}`)] as const),
          ...(["call", service.now(), { counter: `Counter ${n + 1}` }] as const),
        );
    const visitor = await quicklySignedIn(service, clinic);
    const link = linkIn((await makeLink(visitor)).body);
    const { page, context } = await signedInPage(browser(), visitor, {
      viewport: { width: 1920, height: 1080 },
    });
    await page.goto(link);
    const height = () => page.evaluate("document.documentElement.scrollHeight");
    await expect.poll(height).toBeLessThanOrEqual(1080);
    const hidden =
      "[...document.querySelectorAll('h2')].filter((one) => one.scrollWidth > one.clientWidth).length";
    expect(await page.evaluate(hidden)).toBe(0);
    expect(await called(page)).toHaveLength(34);
    expect(await page.getByRole("heading", { level: 2 }).filter({ visible: true }).count()).toBe(8);
    const size = await page.evaluate(
      "parseFloat(getComputedStyle(document.querySelector('.called b')).fontSize)",
    );
    expect(size).toBeGreaterThan(40);
    await context.setOffline(true);
    await lost(page).waitFor();
    expect(await height()).toBeLessThanOrEqual(1080);
  });

  test("shows only the queues that its URL names", async () => {
    const { clinic, page, link } = await open();
    await page.goto(`${link}?queue=${clinic.queue("lab")}&theme=dark`);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Laboratory"]);
    await clinic.client().create(clinic.queue("lab"));
    await service.owner.next(clinic.queue("lab"));
    await service.owner.next(clinic.queue());
    await expect.poll(() => called(page)).toEqual(["L1"]);
  });

  test("uses the theme in its URL, or else the color scheme of the browser", async () => {
    const { page, link } = await open();
    const color = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const [light, dark] = ["rgb(246, 247, 246)", "rgb(19, 24, 22)"];
    for (const [screen, theme, expected] of [
      ["light", "", light],
      ["dark", "", dark],
      ["light", "?theme=dark", dark],
      ["dark", "?theme=light", light],
    ] as const) {
      await page.emulateMedia({ colorScheme: screen });
      await page.goto(link + theme);
      expect(await color(), `${screen} ${theme}`).toBe(expected);
    }
  });

  test("shows the calls and refreshes itself without scripts", async () => {
    const { link } = await clinicWithDisplay();
    const { page } = await signedInPage(browser(), visitorOf(service), {
      javaScriptEnabled: false,
    });
    await page.goto(link);
    expect(await called(page)).toEqual(["A4"]);
    expect(await page.locator("meta[http-equiv=refresh]").count()).toBe(1);
  });

  test("fits each screen, and axe-core reports no violations, live and not live", async () => {
    const { page, context } = await open();
    await expectFits(page, "live");
    await page.setViewportSize({ width: 1920, height: 1080 });
    expect(await overflowOf(page)).toBe(0);
    await context.setOffline(true);
    await lost(page).waitFor();
    await expectFits(page, "not live");
  });
});
