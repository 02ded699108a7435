import { randomBytes } from "node:crypto";
import { limits } from "@queue-api/contract";
import { openStore } from "@queue-api/server";
import fc from "fast-check";
import { describe, expect, type OnTestFinishedHandler, test, vi } from "vitest";
import { isAllowed, normalAddress } from "../../server/src/rules/address.js";
import type { Admission } from "../../server/src/rules/admission.js";
import { addressDigits, addressRange } from "../../server/src/store/mongo/address-range.js";
import type { Store } from "../../server/src/store/store.js";
import { memory, start, testClock } from "../store/support/adapters.js";
import { attempt, clinic, failedAttempt, id, importOf, kiosk } from "../store/support/records.js";
import { describeWithMongo, mongoDatabase, withDatabase } from "../support/mongo.js";

vi.setConfig({ testTimeout: 120_000 });

const addresses = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((address) => `::ffff:${address}`),
  fc.constantFrom("203.0.113.7", "203.0.113.200", "2001:db8::1", "::1", "::"),
);

const items = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([net, bits]) => `${net}/${bits}`),
  fc.constantFrom(
    "203.0.113.0/24",
    "203.0.113.7",
    "2001:db8::1",
    "0.0.0.0/0",
    "::ffff:203.0.113.7",
  ),
  fc.ipV4(),
  fc.ipV6(),
);

describe("the ranges of an allowlist", () => {
  test("hold the addresses that the allowlist admits", () => {
    fc.assert(
      fc.property(items, addresses, (item, written) => {
        const address = normalAddress(written);
        const digits = addressDigits(address) ?? "";
        const { from, to } = addressRange(item);
        expect(from <= digits && digits <= to).toBe(isAllowed([item], address));
      }),
      { numRuns: 5_000 },
    );
  });
});

const attempts = fc.array(
  fc.record({
    write: fc.boolean(),
    address: fc.constantFrom("203.0.113.7", "198.51.100.1", "2001:db8::1", "unknown"),
  }),
  { minLength: 1, maxLength: 12 },
);

const keys = fc.record({
  allowIps: fc.constantFrom([], ["203.0.113.0/24"], ["2001:db8::1", "198.51.100.1"]),
  requestsPerMinute: fc.integer({ min: 1, max: 8 }),
  writesPerMinute: fc.integer({ min: 1, max: 5 }),
});

const rounds = fc.array(
  fc.record({ attempts, afterMs: fc.constantFrom(0, 1, 20_000, 59_999, 60_000, -5_000, -10_001) }),
  { minLength: 1, maxLength: 5 },
);

describeWithMongo("admission in the database", () => {
  test("decides attempts that come together as the rule does one after another", async ({
    onTestFinished,
  }) => {
    const opened = await openEmptied(onTestFinished);
    await fc.assert(
      fc.asyncProperty(keys, fc.boolean(), rounds, async (key, apiAccess, sent) => {
        const expecting = await memory.open();
        try {
          const [told, expected] = await Promise.all(
            [opened, expecting].map(async ({ store, clock }) => {
              const business = importOf({ ...clinic, apiAccess }, { keys: [{ ...kiosk, ...key }] });
              await store.businesses.import([business], { replace: false });
              const admissions: Admission[][] = [];
              for (const { attempts, afterMs } of sent) {
                clock.advance(afterMs);
                admissions.push(await together(store, attempts));
              }
              return admissions;
            }),
          );
          expect(told).toEqual(expected);
        } finally {
          await expecting.dispose();
          await opened.empty();
        }
      }),
      { numRuns: 60 },
    );
  });
});

describeWithMongo("what several instances meet at once, and nobody has met before,", () => {
  test("is counted whole: failed sign-ins of an address", async ({ onTestFinished }) => {
    const { first, all } = await fourStores(onTestFinished);
    for (let n = 0; n < 100; n++) {
      const subject = `198.51.100.${n}`;
      await Promise.all(all.map((store) => store.admission.admit(failedAttempt({ subject }))));
      const window = await first.admission.signInWindow(subject);
      expect(window.remaining).toBe(limits.failedSignIns - all.length);
    }
  });

  test("is counted whole: requests of a key", async ({ onTestFinished }) => {
    const { first, all } = await fourStores(onTestFinished);
    const keys = Array.from({ length: 100 }, (_, n) => ({ ...kiosk, id: id(`key${n}`) }));
    await first.businesses.import([importOf(clinic, { keys })], { replace: false });
    for (const { id: keyId, secretHash, requestsPerMinute } of keys) {
      const once = attempt({ credentials: { keyId, secretHash } });
      await Promise.all(all.map((store) => store.admission.admit(once)));
      const { window } = await first.admission.admit(once);
      expect(window.remaining).toBe(requestsPerMinute - all.length - 1);
    }
  });
});

/** A store that can be emptied, so that it is opened once for all runs. */
async function openEmptied(atEnd: (end: OnTestFinishedHandler) => void) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const clock = testClock();
  const store = await openStore(url, { random: randomBytes, clock });
  atEnd(() => store.close());
  const empty = async () => {
    clock.set(start);
    await withDatabase(url, async (db) => {
      for (const collection of await db.collections()) await collection.deleteMany({});
    });
  };
  return { store, clock, empty };
}

/** Four instances' stores on one new database. */
async function fourStores(atEnd: (end: OnTestFinishedHandler) => void) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const open = async () => {
    const store = await openStore(url, { random: randomBytes });
    atEnd(() => store.close());
    return store;
  };
  const first = await open();
  return { first, all: [first, await open(), await open(), await open()] };
}

function together(
  store: Store,
  attempts: readonly { write: boolean; address: string }[],
): Promise<Admission[]> {
  return Promise.all(attempts.map((one) => store.admission.admit(attempt(one))));
}
