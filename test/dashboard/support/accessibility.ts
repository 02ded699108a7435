import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Result } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const colorSchemes = ["light", "dark"] as const;

/**
 * The window widths in pixels, and the color schemes in which axe-core checks each width. axe-core is slow, so it
 * checks all of them only with `TEST_LOOKS=all`.
 */
const looks: readonly (readonly [width: number, colors: readonly ("light" | "dark")[]])[] =
  process.env.TEST_LOOKS === "all"
    ? [
        [360, []],
        [390, colorSchemes],
        [820, colorSchemes],
        [1440, colorSchemes],
      ]
    : [
        [360, ["light"]],
        [390, []],
        [820, []],
        [1440, ["dark"]],
      ];

/**
 * Expects of an open page that it fits its window on a phone, a tablet and a wide screen, and that axe-core finds
 * nothing, light and dark. Its context must reduce motion, or colors would be looked at on their way.
 * `targets`: also that each target is large enough for a finger.
 */
export async function expectFits(
  page: Page,
  state: string,
  { targets = false }: { readonly targets?: boolean } = {},
): Promise<void> {
  for (const [width, colors] of looks) {
    const where = `${state}, ${width} pixels wide`;
    await page.setViewportSize({ width, height: 800 });
    expect(await overflowOf(page), where).toBe(0);
    if (targets && colors.length > 0) expect(await smallTargets(page), where).toEqual([]);
    for (const colorScheme of colors) {
      await page.emulateMedia({ colorScheme });
      expect(await faultsOf(page), `${where}, ${colorScheme}`).toEqual([]);
    }
  }
}

/** The violations that axe-core finds on a page with all its rules, one line each. */
export async function faultsOf(page: Page): Promise<string[]> {
  const isThere = await page.evaluate("'axe' in window");
  if (!isThere) await page.evaluate(axe); // by the debugger, because the page's content security policy refuses the script
  const found = (await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as Result[];
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => String(target)).join("; ")})`,
  );
}

/** The targets that are too small for a finger: smaller than 44 by 44 pixels. */
async function smallTargets(page: Page): Promise<string[]> {
  // Rows out of view have no layout, and Firefox reports no size for their content.
  await page.evaluate(
    `for (const row of document.querySelectorAll(".people > li")) row.style.contentVisibility = "visible"`,
  );
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
