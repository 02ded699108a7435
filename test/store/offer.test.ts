import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import { back, clinic, front, id, today, token } from "./support/records.js";
import { freshStore } from "./support/store.js";

const firstPage = { limit: 100, after: null };

describe.each(adapters)("queues in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("adds a queue once, even when the form is sent twice", async () => {
    const { store } = opened();
    const laboratory = { ...front, id: id("lab"), name: "Laboratory" };
    const add = () => store.queues.add(clinic.id, laboratory);
    expect((await Promise.all([add(), add()])).toSorted()).toEqual(["added", "exists"]);
    expect(await store.queues.list(clinic.id)).toEqual([front, back, laboratory]);
  });

  it("uses a new series for new tokens only, and continues the numbers", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("before"));
    await store.queues.change(clinic.id, front.id, { tokenSeries: "Z" });
    await store.entries.issue(clinic.id, token("after"));
    const page = await store.entries.page(clinic.id, front.id, today, null, firstPage);
    if (typeof page === "string") throw new Error(page);
    const labels = page.items.map(({ entry }) => `${entry.tokenSeries}${entry.tokenNumber}`);
    expect(labels).toEqual(["A1", "Z2"]);
  });
});
