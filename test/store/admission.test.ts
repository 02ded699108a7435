import { describe, expect, it } from "vitest";
import { storeOn } from "../../server/src/operations/store.js";
import { StoreClock } from "../../server/src/store/clock.js";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Adapter } from "../../server/src/store/port.js";
import { portOn } from "../../server/src/store/run.js";
import { adapters, noRandom, testClock } from "./support/adapters.js";
import { attempt, failedAttempt, id, settle } from "./support/records.js";
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

it("asks the database the same for a wrong secret, an unknown key and a missing key", async () => {
  const asked: string[] = [];
  const listening = new Proxy(memoryAdapter(), {
    get(adapter, verb: keyof Adapter) {
      return (...given: never[]) => {
        const [table] = given as unknown[];
        asked.push(`${verb} ${typeof table === "string" ? table : "one write"}`);
        return (adapter[verb] as (...all: never[]) => unknown)(...given);
      };
    },
  });
  const clock = testClock();
  const options = { clock: new StoreClock(clock, clock), elapsed: clock, random: noRandom };
  const store = storeOn(portOn(listening, options));
  await settle(store);
  const during = async (credentials: ReturnType<typeof attempt>["credentials"]) => {
    asked.length = 0;
    await store.admission.admit(attempt({ credentials }));
    return [...asked];
  };
  const { credentials: wrong } = failedAttempt();
  const first = await during(wrong);
  expect(first).toEqual(["find businesses", "find windows", "find windows", "send one write"]);
  expect(await during({ keyId: id("nobody"), secretHash: "0".repeat(64) })).toEqual(first);
  expect(await during(null)).toEqual(first);
});
