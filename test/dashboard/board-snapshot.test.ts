import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patch, type Snapshot, snapshotOf } from "../../server/src/dashboard/board/snapshot.js";

/** The page in a browser: the rows of a list and the other parts, changed as htmx changes them. */
interface Page {
  readonly parts: Map<string, string>;
  rows: string[];
}

const list = "line-q";
const row = (id: number, look: string) => `<li id="e-${id}">${look}</li>`;
const idOf = (text: string) => /^<li id="([^"]+)"/.exec(text)?.[1] ?? "";

function snapshot(people: ReadonlyMap<number, string>, count: string, before: Snapshot | null) {
  const rows = [...people].map(([id, look]) => [`e-${id}`, row(id, look)] as const);
  const parts = new Map([["counts-q", count]]);
  return snapshotOf({ frame: "f", parts, lists: new Map([[list, new Map(rows)]]) }, before);
}

/** Applies out-of-band fragments to a page like htmx. */
function apply(page: Page, text: string): void {
  const piece = /<(div|ol|li)(?: id="([^"]+)")? hx-swap-oob="([^"]+)">(.*?)<\/\1>(?=\n|$)/gs;
  for (const [, , id = "", how = "", inner = ""] of text.matchAll(piece)) {
    const rows = inner.match(/<li.*?<\/li>/g) ?? [];
    const [strategy, target = ""] = how.split(":#");
    const place = page.rows.findIndex((one) => idOf(one) === (target || id));
    if (strategy === "delete") page.rows.splice(place, place < 0 ? 0 : 1);
    else if (strategy === "afterbegin") page.rows.unshift(...rows);
    else if (strategy === "afterend") {
      if (place < 0) throw new Error(`nobody stands at ${target}`);
      page.rows.splice(place + 1, 0, ...rows);
    } else if (id === list) page.rows = rows;
    else page.parts.set(id, inner);
  }
}

const shown = (page: Page) => ({ parts: [...page.parts], rows: page.rows });
const wanted = ({ parts, lists }: Snapshot) => ({
  parts: [...parts],
  rows: [...(lists.get(list)?.values() ?? [])],
});

/** People in their fixed order, each with different HTML. */
const lines = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 12 }), fc.constantFrom("plain", "changed")), {
    selector: ([id]) => id,
    maxLength: 12,
  })
  .map((people) => new Map(people.sort(([a], [b]) => a - b)));

describe("the changes from one board to another", () => {
  test("turn any line into any other", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(lines, fc.constantFrom("1", "2")), { minLength: 1 }), (all) => {
        const page: Page = { parts: new Map(), rows: [] };
        let before: Snapshot | null = null;
        for (const [people, count] of all) {
          const after = snapshot(people, count, before);
          apply(page, patch(before, after));
          expect(shown(page)).toEqual(wanted(after));
          before = after;
        }
      }),
      { numRuns: 500 },
    );
  });

  test("are empty between equal boards, which have the same id", () => {
    const people = new Map([[1, "plain"]]);
    const [one, other] = [snapshot(people, "1", null), snapshot(people, "1", null)];
    expect(patch(one, other)).toBe("");
    expect(one.id).toBe(other.id);
    expect(snapshot(people, "2", null).id).not.toBe(one.id);
  });

  test("have only the added and removed people, for a line of any length", () => {
    const many = new Map(Array.from({ length: 2_000 }, (_, id) => [id, "plain"] as const));
    const before = snapshot(many, "2000", null);
    const [first] = many.keys();
    many.delete(first ?? 0);
    const after = snapshot(many.set(2_000, "plain").set(2_001, "plain"), "2001", before);
    expect(patch(before, after)).toBe(
      [
        '<div id="counts-q" hx-swap-oob="innerHTML">2001</div>',
        '<li id="e-0" hx-swap-oob="delete"></li>',
        `<ol hx-swap-oob="afterend:#e-1999">${row(2_000, "plain")}${row(2_001, "plain")}</ol>`,
      ].join("\n"),
    );
  });
});
