import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { prepareDemo } from "@queue-api/server";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { signedInPage } from "../dashboard/support/browser.js";
import { displayLinkIn, makeDisplayLink } from "../dashboard/support/display.js";
import { newOwner, signedInVisitor } from "../dashboard/support/visitor.js";
import { theBrowser } from "../support/browser.js";
import { Clinic } from "../support/clinic.js";
import { completed } from "../support/run.js";
import { testService } from "../support/service.js";

const folder = fileURLToPath(new URL("../../docs/images/dashboard/", import.meta.url));
const service = await testService();

const screens = [
  { screen: "phone", width: 390, height: 844 },
  { screen: "tablet", width: 1024, height: 768 },
  { screen: "wide", width: 1440, height: 900 },
] as const;

/** The demo, which everybody can look at too. */
async function demo(): Promise<Clinic> {
  const { store } = service;
  const { key, queueId } = await prepareDemo(store, service.now(), randomBytes);
  const { id = "" } = (await store.businesses.find("slug", "demo")) ?? {};
  const none = { services: {}, entries: {}, appointments: {} };
  const seeded = { ...none, id, queues: { front: queueId }, keys: { main: key } };
  return new Clinic(service, "demo", seeded, "10.0.0.1");
}

/** Makes a picture small: a page of plain colors needs but a few of them. */
async function save(page: Page, name: string): Promise<void> {
  const path = `${folder}${name}.png`;
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  const options = ["--force", "--strip", "--speed", "1", "--output", path];
  await completed("pngquant", [...options, "64", path]);
}

test("each page of the dashboard, on three sizes of screen, in light and dark", async () => {
  const clinic = await demo();
  const owner = await newOwner(service, clinic, "anna@clinic.example");
  const visitor = await signedInVisitor(service, clinic, owner);
  for (const path of ["/v1/queues", "/v1/services", `/v1/queues/${clinic.queue()}`, "/v1/me"]) {
    await clinic.client().get(path);
  }
  await clinic.client().create(clinic.queue(), { name: "Priya Menon", phone: "9198000000" });
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const board = (await visitor.get("/dashboard")).body;
  const nav = /<header.*?<\/header>/s.exec(board)?.[0] ?? "";
  const paths = [...new Set([...nav.matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? ""))];
  expect(paths.length).toBeGreaterThan(1);
  await service.store.businesses.change(clinic.id, { longWaitMinutes: 60 });
  const display = displayLinkIn((await makeDisplayLink(visitor)).body);
  for (const { screen, width, height } of screens) {
    const { page, faults } = await signedInPage(visitor, {
      viewport: { width, height },
      reducedMotion: "reduce",
    });
    for (const path of paths) {
      const name = path.split("/")[2] ?? "board";
      await page.goto(service.url + path);
      if (name === "board") await page.locator("#live", { hasText: "Live" }).waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await save(page, `${name}-${screen}-${colorScheme}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${service.url}/dashboard`);
    await page.locator("#live", { hasText: "Live" }).waitFor();
    await page
      .getByRole("link", { name: /^A\d+ / })
      .first()
      .click();
    await page.getByRole("dialog").waitFor();
    await save(page, `person-${screen}-light`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(display);
      await save(page, `display-${screen}-${colorScheme}`);
    }
    expect(faults).toEqual([]);
  }

  const stranger = await (await theBrowser()).newPage({ viewport: { width: 390, height: 844 } });
  for (const colorScheme of ["light", "dark"] as const) {
    await stranger.emulateMedia({ colorScheme });
    await stranger.goto(`${service.url}/dashboard/sign-in`);
    await save(stranger, `sign-in-phone-${colorScheme}`);
  }
  expect(existsSync(`${folder}board-phone-light.png`)).toBe(true);
});
