import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, onTestFinished } from "vitest";
import { theBrowser } from "../../support/browser.js";
import type { Visitor } from "./visitor.js";

/** The browser, available after the tests of a file have started. */
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

/** A page in a new browser context, with a signed-in visitor. */
export interface SignedInPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, violations of the content security policy, and failed requests. */
  readonly faults: readonly string[];
}

/** `options.baseURL`: the URL of the service for the browser. Default: the URL of the visitor. */
export async function signedInPage(
  browser: Browser,
  visitor: Visitor,
  options: BrowserContextOptions = {},
): Promise<SignedInPage> {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(60_000);
  await context.addCookies(
    [...visitor.cookies].map(([name, value]) => ({
      name,
      value,
      domain: new URL(options.baseURL ?? visitor.url).hostname,
      path: "/dashboard",
      httpOnly: true,
      sameSite: "Lax" as const,
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
