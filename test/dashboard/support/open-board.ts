import type { Page } from "playwright-core";
import type { Clinic } from "../../support/clinic.js";
import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { busyClinic } from "./board.js";
import { sharedBrowser, signedInPage } from "./browser.js";
import { quicklySignedIn } from "./quick-sign-in.js";

type Options = Parameters<typeof signedInPage>[2];

/** Opens boards of a service in the browser of a test file. */
export function boardOpener(service: Service) {
  const browser = sharedBrowser();

  /** Opens the board of a clinic as its owner, and waits until it is live, unless scripts are off. */
  async function openBoard(clinic: Clinic, options: Options = {}, on: Service = service) {
    const visitor = await quicklySignedIn(on, clinic);
    const opened = await signedInPage(browser(), visitor, options);
    await opened.page.goto(`${options.baseURL ?? on.url}/dashboard`);
    if (options.javaScriptEnabled !== false) await isLive(opened.page);
    return { ...opened, visitor, front: opened.page.locator(`#queue-${clinic.queue()}`) };
  }

  /** Opens the board of a new clinic. */
  async function open(seed: BusinessSeed = busyClinic, options: Options = {}) {
    const clinic = await service.clinic({ keys: [wideKey], ...seed });
    return { clinic, ...(await openBoard(clinic, options)) };
  }

  return { open, openBoard };
}

export const isLive = (page: Page) => page.locator("#live", { hasText: "Live" }).waitFor();

/** The waiting tokens on the board, in order. */
export const line = (page: Page) => page.locator("ol.line .token").allTextContents();

export const message = (page: Page) => page.locator("#flash p");

/** Sets a variable that the next page load removes. */
export const mark = (page: Page) => page.evaluate("window.marked = true");
export const isMarked = (page: Page) => page.evaluate("window.marked === true");
