import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Result } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The window widths in pixels at which each page must fit. */
const widths = [360, 390, 820, 1440];

/** The looks in which axe-core checks a page: the most different ones, because it is slow; with `TEST_LOOKS=all` all. */
const looks: readonly (readonly [width: number, colors: "light" | "dark"])[] =
  process.env.TEST_LOOKS === "all"
    ? [390, 820, 1440].flatMap((width) => [[width, "light"] as const, [width, "dark"] as const])
    : [
        [360, "light"],
        [1440, "dark"],
      ];

/**
 * Expects that an open page fits its window on a phone, a tablet and a wide screen, and that axe-core reports no
 * violations in its looks. The browser context must reduce motion, or axe-core can see colors in a transition.
 * `targets`: also expects that each target is large enough for a finger.
 */
export async function expectFits(
  page: Page,
  state: string,
  { targets = false }: { readonly targets?: boolean } = {},
): Promise<void> {
  for (const width of widths) {
    const where = `${state}, ${width} pixels wide`;
    await page.setViewportSize({ width, height: 800 });
    expect(await overflowOf(page), where).toBe(0);
    if (targets) expect(await smallTargets(page), where).toEqual([]);
    for (const [, colorScheme] of looks.filter((look) => look[0] === width)) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page), `${where}, ${colorScheme}`).toEqual([]);
    }
  }
}

/** The violations that axe-core finds on a page with all its rules, one line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  const isThere = await page.evaluate("'axe' in window");
  if (!isThere) await page.evaluate(axe); // through the debugger, because the page's content security policy blocks the script
  const found = (await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as Result[];
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => String(target)).join("; ")})`,
  );
}

/** The targets that are smaller than a finger, 44 by 44 pixels, or cannot be reached left of the window. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll("button, summary, input, select, a")]
    .filter((one) => one.checkVisibility() && !one.closest(".skip, p, td, .check"))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, { x, width, height }]) => width < 43.5 || height < 43.5 || (x < 0 && !one.matches("nav a")))
    .map(([one, { width, height }]) => one.outerHTML.slice(0, 80) + " " + width + "×" + height)`);
}

/** How far a page is wider than the window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}
