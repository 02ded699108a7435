import { describe, expect, it } from "vitest";
import { entryAnswer } from "../../server/src/rules/resources.js";
import { adapters } from "./support/adapters.js";
import { clinic, entry, front, id, salon, today, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

/** Names that a faulty store truncates or changes. */
const awkwardNames = [
  "Zoë ☕ 👩‍👩‍👧‍👦",
  "e\u0301 is not \u00e9",
  "\u0000starts with NUL",
  "ends with NUL\u0000",
  "a\u0000b\u0001\u001f\u007f",
  `"quotes" \\ and 'more'`,
  "\ufeffmark \u2028 \u202e",
  "\u{10ffff}",
  " ",
];

describe.each(adapters)("reading from the $name store", (adapter) => {
  const opened = freshStore(adapter);

  /** A clinic with these entries at its front desk. */
  async function withEntries(entries: readonly ReturnType<typeof entry>[]) {
    return (await opened.with({ entries })).store;
  }

  it("reads entries of one business by their ids", async () => {
    const store = await withEntries([entry(1), entry(2), entry(3)]);
    const ids = [entry(3).id, id("nobody"), entry(1).id];
    const found = await store.entries.byIds(clinic.id, ids);
    expect(found.map((one) => one.id).sort()).toEqual([entry(1).id, entry(3).id].sort());
    expect(found).toContainEqual((await store.entries.get(clinic.id, entry(1).id))?.entry);
    expect(await store.entries.byIds(salon.id, ids)).toEqual([]);
    expect(await store.entries.byIds(clinic.id, [])).toEqual([]);
  });

  it.each(awkwardNames)("returns %j exactly as it was stored", async (name) => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("named", { customerName: name }));
    expect((await store.entries.get(clinic.id, id("named")))?.entry.customerName).toBe(name);
    const page = await store.entries.page(clinic.id, front.id, today, null, {
      limit: 1,
      after: null,
    });
    expect(page).toMatchObject({ items: [{ entry: { customerName: name } }] });
  });

  it("returns a page, or why there is none", async () => {
    const named = awkwardNames.map((customerName, index) => entry(index + 1, { customerName }));
    const store = await withEntries(named);
    const page = { limit: 3, after: entry(2).id };
    const asked = [clinic.id, front.id, today, "WAITING", page] as const;
    const found = await store.entries.page(...asked);
    if (typeof found === "string") throw new Error("no page");
    expect(found.items.map((item) => entryAnswer(item).id)).toEqual(
      [3, 4, 5].map((n) => entry(n).id),
    );
    expect(found.more).toBe(true);
    expect(await store.entries.page(clinic.id, id("nothing"), today, null, page)).toBe(
      "queue_not_found",
    );
    const unknown = { limit: 3, after: id("nobody") };
    expect(await store.entries.page(clinic.id, front.id, today, null, unknown)).toBe(
      "cursor_unknown",
    );
  });
});
