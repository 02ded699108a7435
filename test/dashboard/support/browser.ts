import type { BrowserContextOptions } from "playwright-core";
import { onTestFinished } from "vitest";
import { theBrowser } from "../../support/browser.js";
import type { Visitor } from "./visitor.js";

/**
 * A page in a new browser context, with a signed-in visitor. `faults` are errors of scripts, violations of the content
 * security policy, and failed requests. `options.baseURL` is the URL of the service for the browser, by default the
 * visitor's.
 */
export async function signedInPage(visitor: Visitor, options: BrowserContextOptions = {}) {
  const browser = await theBrowser();
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
