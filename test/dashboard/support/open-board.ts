import type { Page, Request } from "playwright-core";
import { expect } from "vitest";
import type { Clinic } from "../../support/clinic.js";
import { gate } from "../../support/gate.js";
import { type BusinessSeed, wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { busyClinic } from "./board.js";
import { signedInPage } from "./browser.js";
import { newOwner, signedInVisitor } from "./visitor.js";

type Options = Parameters<typeof signedInPage>[1];

/** Opens the dashboard of a service in the browser of a test file. */
export function boardOpener(service: Service) {
  /** The URL of a page. */
  const at = (path = "") => `${service.url}/dashboard${path}`;

  /** Opens a page as a new owner of a clinic. */
  async function openPage(clinic: Clinic, path = "", options: Options = {}, on = service) {
    const owner = await newOwner(on, clinic);
    const visitor = await signedInVisitor(on, clinic, owner);
    const opened = await signedInPage(visitor, options);
    await opened.page.goto(`${options.baseURL ?? on.url}/dashboard${path}`);
    return { ...opened, owner, visitor };
  }

  /** Opens the board of a clinic as its owner, and waits until it is live. */
  async function openBoard(clinic: Clinic, options: Options = {}, on = service) {
    const opened = await openPage(clinic, "", options, on);
    await isLive(opened.page);
    return { ...opened, front: opened.page.locator(`#queue-${clinic.queue()}`) };
  }

  /** Opens the board of a new clinic. */
  async function open(seed: BusinessSeed = busyClinic, options: Options = {}) {
    const clinic = await service.clinic({ keys: [wideKey], ...seed });
    return { clinic, ...(await openBoard(clinic, options)) };
  }

  return { at, open, openBoard, openPage };
}

export const isLive = (page: Page) => page.locator("#live", { hasText: "Live" }).waitFor();

/** The waiting tokens on the board, in order. */
export const line = (page: Page) => page.locator("ol.line .token").allTextContents();

export const message = (page: Page) => page.locator("#flash p");

/** The page element that has the focus, as HTML; the body, which has it otherwise, without its content. */
export const focused = (page: Page) =>
  page.evaluate(
    "document.activeElement.cloneNode(document.activeElement !== document.body).outerHTML",
  );

/** Sets a variable that the next page load removes. */
export const mark = (page: Page) => page.evaluate("window.marked = true");
export const isMarked = (page: Page) => page.evaluate("window.marked === true");

/** Acts as if the tab went to the background, or came back from there. */
export const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event("visibilitychange"));
  `);

/** The card of a person, over the board. */
export const dialogOf = (page: Page) => page.getByRole("dialog");

/** Polls the message at the top of the page. */
export const said = (page: Page) => expect.poll(() => message(page).textContent());

/** Polls the waiting tokens. */
export const inLine = (page: Page) => expect.poll(() => line(page));

/** The button that takes back what the message is about. */
export const undo = (page: Page) => page.locator("#flash").getByRole("button", { name: "Undo" });

/**
 * Holds back the responses to a request of the page, until one of them has arrived. To be called well before the
 * request: a browser applies a route a moment after it has confirmed it.
 */
export async function slowly(page: Page, url: string) {
  const responses = gate();
  await page.route(url, async (route) => {
    await responses.pass();
    await route.fallback();
  });
  return {
    async send(act: () => Promise<void>) {
      responses.close();
      const [request] = await Promise.all([page.waitForRequest(url), act()]);
      return request;
    },
    async arrive(request: Request) {
      responses.open();
      await (await request.response())?.finished();
      await page.evaluate("new Promise(requestAnimationFrame)");
    },
  };
}
