import { describe, expect, it } from "vitest";
import { expectFits, overflowOf } from "../dashboard/support/accessibility.js";
import { noBrowser } from "../support/browser.js";
import { pagePaths } from "./support/page-paths.js";
import { servedDocs } from "./support/served-docs.js";

/** One page of each kind. Pages of the same kind differ only in text. */
const kinds = [
  ...["", "/first-token", "/errors", "/dashboard", "/reference", "/reference/createEntry"],
  ...["/schemas", "/sdk", "/sdk-reference", "/try", "/nope"],
];
const others = pagePaths.filter((path) => !kinds.includes(path));

describe.skipIf(noBrowser)(
  `the pages in a browser${noBrowser ? ` (${noBrowser})` : ""}`,
  async () => {
    const docs = await servedDocs();

    it.each(kinds)("/docs%s fits, and axe-core reports no violations", async (path) => {
      const { page, faults } = await docs.open(path);
      for (const summary of await page.locator("summary").all()) await summary.click();
      await expectFits(page, path);
      expect(faults.filter((fault) => path !== "/nope" || !fault.includes("404"))).toEqual([]);
    });

    it("each other page fits the screen, and its script reports no error", async () => {
      const { page, faults } = await docs.open("");
      for (const path of others) {
        await page.goto(`${docs.url}/docs${path}`);
        for (const width of [1440, 820, 390]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await overflowOf(page), `${path}, ${width} pixels wide`).toBe(0);
        }
      }
      expect(faults).toEqual([]);
    });
  },
);
