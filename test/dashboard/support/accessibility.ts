import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Result } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Windows that a page is looked at in, by day and by night. */
export type Look = readonly [colorScheme: "light" | "dark", width: number];

/**
 * Shows an open page in each of these looks, one after the other. Its context must reduce motion, or colours
 * would be looked at on their way.
 */
export async function inEach(
  looks: readonly Look[],
  page: Page,
  check: (look: string) => Promise<void>,
): Promise<void> {
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await check(`${colorScheme}, ${width} pixels wide`);
  }
}

/** What axe-core finds wrong on a page as it stands, by every rule it has; a line for each. */
export async function faultsOf(page: Page): Promise<string[]> {
  const isThere = await page.evaluate("'axe' in window");
  if (!isThere) await page.evaluate(axe); // by the debugger: the page's own policy lets no such script in
  const found = (await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as Result[];
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => String(target)).join("; ")})`,
  );
}

/** What a finger would miss: whatever can be tapped and is smaller than 44 by 44 pixels. */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll("button, summary, input, select, a")]
    .filter((one) => one.checkVisibility() && !one.closest(".skip, p, td, .check"))
    .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
    .map(([html, { width, height }]) => html + " " + width + "×" + height)`);
}

/** How far a page is wider than the window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}
