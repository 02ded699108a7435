import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import { attempt, failedAttempt } from "./support/records.js";
import { freshStore } from "./support/store.js";

describe.each(adapters)("admission by the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("admits exactly the limit of concurrent requests", async () => {
    const { store } = opened();
    const admissions = await Promise.all(
      Array.from({ length: 40 }, () => store.admission.admit(attempt())),
    );
    const admitted = admissions.filter(({ outcome }) => outcome === "admitted");
    expect(admitted.map(({ window }) => window.remaining)).toEqual([4, 3, 2, 1, 0]);
  });

  it("bars an address after 30 failed sign-ins for the rest of the window, even with a valid key", async () => {
    const { store, clock } = opened();
    const failed = await Promise.all(
      Array.from({ length: 31 }, () => store.admission.admit(failedAttempt())),
    );
    expect(failed.map(({ outcome }) => outcome)).toEqual([
      ...Array(30).fill("unauthorized"),
      "barred",
    ]);
    expect((await store.admission.admit(attempt())).outcome).toBe("barred");
    expect((await store.admission.admit(attempt({ subject: "198.51.100.1" }))).outcome).toBe(
      "admitted",
    );
    clock.advance(600_000);
    expect((await store.admission.admit(attempt())).outcome).toBe("admitted");
  });
});
