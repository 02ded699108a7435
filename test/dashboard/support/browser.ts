import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, onTestFinished } from "vitest";
import { theBrowser } from "../../support/browser.js";
import type { Visitor } from "./visitor.js";

/** The browser, once the tests of a file have begun. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await theBrowser();
  });
  return () => {
    if (!browser) throw new Error("the browser has not started");
    return browser;
  };
}

/** A page in a browser of its own, where a visitor is signed in already. */
export interface SignedInPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, refusals of the content security policy, and files that did not come. */
  readonly faults: readonly string[];
}

/** `options.baseURL`: where the browser finds the service. Default: where the visitor does. */
export async function signedInPage(
  browser: Browser,
  visitor: Visitor,
  options: BrowserContextOptions = {},
): Promise<SignedInPage> {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(10_000);
  await context.addCookies(
    [...visitor.cookies].map(([name, value]) => ({
      ...{
        name,
        value,
        domain: new URL(options.baseURL ?? visitor.url).hostname,
        path: "/dashboard",
      },
      ...{ httpOnly: true, sameSite: "Lax" as const },
    })),
  );
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    const isRefusedForm = message.text().includes("status of 422");
    if (message.type() === "error" && !isRefusedForm) faults.push(message.text());
  });
  return { page, context, faults };
}
