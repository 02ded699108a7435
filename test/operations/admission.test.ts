import { expect } from "vitest";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Access, Listing } from "../../server/src/store/port.js";
import type { TableName } from "../../server/src/store/tables.js";
import { storeOnAdapter, withAccess } from "../store/support/adapters.js";
import { attempt, failedAttempt, id, settle } from "../store/support/records.js";
import { it } from "../store/support/store.js";
import { gate } from "../support/gate.js";

it("admits as many requests of a key as its limit, and reports what is left", async ({ store }) => {
  const { admission } = store;
  await admission.admit(failedAttempt()); // the windows of the address are others
  const admissions = await Promise.all(Array.from({ length: 8 }, () => admission.admit(attempt())));
  const admitted = admissions.filter(({ outcome }) => outcome === "admitted");
  expect(admitted.map(({ window }) => window.remaining)).toEqual([4, 3, 2, 1, 0]);
});

it("asks the database the same for a wrong secret, an unknown key and a missing key", async () => {
  const asked: string[] = [];
  type AnyCall = (...given: unknown[]) => unknown;
  const listened = ([verb, call]: [string, AnyCall]) => {
    const listening: AnyCall = (...given) => {
      const [table] = given;
      asked.push(`${verb} ${typeof table === "string" ? table : "one write"}`);
      return call(...given);
    };
    return [verb, listening] as const;
  };
  const everyCall = (access: Access) => Object.entries(access) as unknown as [string, AnyCall][];
  const listening = withAccess(memoryAdapter(), (access) =>
    Object.fromEntries(everyCall(access).map(listened)),
  );
  const { store } = storeOnAdapter(listening);
  await settle(store);
  const during = async (credentials: ReturnType<typeof attempt>["credentials"]) => {
    asked.length = 0;
    await store.admission.admit(attempt({ credentials }));
    return [...asked];
  };
  const first = await during(failedAttempt().credentials);
  expect(first).toEqual(["find businesses", "list windows", "send one write"]);
  expect(await during({ keyId: id("nobody"), secretHash: "0".repeat(64) })).toEqual(first);
  expect(await during(null)).toEqual(first);
});

it("lets a key wait for none of the requests that another address sends with its id", async () => {
  const slow = gate();
  const subject = "198.51.100.1";
  const adapter = withAccess(memoryAdapter(), (access) => ({
    async list<T extends TableName>(table: T, listing: Listing) {
      if (JSON.stringify(listing).includes(subject)) await slow.pass();
      return access.list(table, listing);
    },
  }));
  const { store } = storeOnAdapter(adapter);
  await settle(store);
  const { admission } = store;
  slow.close();
  const others = Array.from({ length: 3 }, () => admission.admit({ ...failedAttempt(), subject }));
  await slow.reached(1);
  expect((await admission.admit(attempt())).outcome).toBe("admitted");
  slow.open();
  expect((await Promise.all(others)).map(({ outcome }) => outcome)).toEqual(
    Array(3).fill("unauthorized"),
  );
});
