import { randomBytes } from "node:crypto";
import { limits } from "@queue-api/contract";
import { openStore } from "@queue-api/server";
import fc from "fast-check";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { isAllowed, normalAddress } from "../../server/src/rules/address.js";
import type { Admission, Attempt } from "../../server/src/rules/admission.js";
import type { ApiKey } from "../../server/src/rules/records.js";
import { addressDigits, addressRange } from "../../server/src/store/mongo/address-range.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import type { Store } from "../../server/src/store/store.js";
import { memory, start, testClock } from "../store/support/adapters.js";
import { attempt, clinic, failedAttempt, id, importOf, kiosk } from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { type Command, nameOf } from "./support/watched.js";

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
  test("contain exactly the addresses that the allowlist admits", () => {
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

describe("admission in the database", () => {
  test("gives concurrent attempts the decisions that the rule makes in sequence", async ({
    onTestFinished,
  }) => {
    const opened = await openEmptied(onTestFinished);
    await fc.assert(
      fc.asyncProperty(keys, fc.boolean(), rounds, async (key, apiAccess, sent) => {
        const expecting = await memory.open();
        try {
          const [actual, expected] = await Promise.all(
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
          expect(actual).toEqual(expected);
        } finally {
          await expecting.dispose();
          await opened.empty();
        }
      }),
      { numRuns: 60 },
    );
  });
});

const fiveKeys = Array.from({ length: 5 }, (_, n) => ({ ...kiosk, id: id(`kiosk${n}`) }));

/** The attempts of the five keys: one per key in most rounds, so that all of them are charged together. */
const fiveKeysRounds = fc.array(
  fc.record({
    sent: fc.array(
      fc.record({ key: fc.nat(fiveKeys.length - 1), write: fc.boolean(), goodSecret: fc.nat(9) }),
      { minLength: 3, maxLength: 12 },
    ),
    afterMs: fc.constantFrom(0, 1, 1_000, 30_000, 59_500, 60_000, -5_000, -10_001),
  }),
  { minLength: 2, maxLength: 8 },
);

describe("the admission of several keys in one batch", () => {
  test("gives the decisions that the rule makes in sequence", async ({ onTestFinished }) => {
    const opened = await openEmptied(onTestFinished);
    await fc.assert(
      fc.asyncProperty(keys, fiveKeysRounds, async (key, sent) => {
        const expecting = await memory.open();
        try {
          const [actual, expected] = await Promise.all(
            [opened, expecting].map(async ({ store, clock }) => {
              const all = fiveKeys.map((one) => ({ ...one, ...key }));
              const business = importOf(clinic, { keys: all });
              await store.businesses.import([business], { replace: false });
              const admissions: Admission[][] = [];
              for (const { sent: attempts, afterMs } of sent) {
                clock.advance(afterMs);
                const each = attempts.map(({ key, write, goodSecret }, n) => {
                  const { id: keyId = "", secretHash } = all[key] ?? kiosk;
                  const hash = goodSecret > 0 ? secretHash : "f".repeat(64);
                  const subject = `198.51.100.${n}`;
                  const credentials = { keyId, secretHash: hash };
                  return attempt({ credentials, write, subject });
                });
                admissions.push(await Promise.all(each.map((one) => store.admission.admit(one))));
              }
              return admissions;
            }),
          );
          expect(actual).toEqual(expected);
        } finally {
          await expecting.dispose();
          await opened.empty();
        }
      }),
      { numRuns: 40 },
    );
  });

  test("sends two commands when all keys are known", async ({ onTestFinished }) => {
    const { store, commands } = await openRecorded(onTestFinished);
    await admitAll(store, attemptsOf(fiveKeys));
    commands.length = 0;
    await admitAll(store, attemptsOf(fiveKeys));
    expect(commands.map(nameOf)).toEqual(["update keys", "find keys"]);
  });

  test("queries a known key with its business, by which a cluster finds its shard", async ({
    onTestFinished,
  }) => {
    const { store, url, commands } = await openRecorded(onTestFinished);
    const one = attemptsOf(fiveKeys.slice(0, 1));
    await admitAll(store, one);
    commands.length = 0;
    await admitAll(store, one);
    expect(commands.map(({ query }) => query)).toMatchObject([{ businessId: clinic.id }]);

    const salon = { businessId: id("salon") };
    const inSalon = { $set: { ...salon, "business.revision": 7 } };
    await withDatabase(url, (db) => db.collection("keys").updateMany({}, inSalon));
    expect(await store.admission.admit(one[0] ?? attempt())).toMatchObject({
      outcome: "admitted",
      key: salon,
    });
  });

  test("applies the changes of other instances", async ({ onTestFinished }) => {
    const { first, all } = await fourStores(onTestFinished);
    await first.businesses.import([importOf(clinic, { keys: fiveKeys })], { replace: false });
    const [second] = all.slice(1);
    if (!second) throw new Error("the second store is missing");
    await admitAll(first, attemptsOf(fiveKeys));
    const [revoked, fenced, smaller, used, nearly] = fiveKeys.map(({ id }) => id);
    await second.keys.revoke(clinic.id, revoked ?? "", await second.now());
    await second.keys.change(clinic.id, fenced ?? "", { allowIps: ["192.0.2.1"] });
    await second.keys.change(clinic.id, smaller ?? "", { requestsPerMinute: 1 });
    const using = (keyId = "") => attempt({ credentials: { keyId, secretHash: kiosk.secretHash } });
    for (let n = 0; n < 4; n++) await second.admission.admit(using(used));
    for (let n = 0; n < 3; n++) await second.admission.admit(using(nearly));
    expect(await admitAll(first, [...attemptsOf(fiveKeys), using(nearly)])).toEqual([
      ...["unauthorized", "ip_not_allowed", "rate_limited", "rate_limited"],
      ...["admitted", "rate_limited"], // one of the two attempts with this key is within the limit
    ]);
    await second.businesses.change(clinic.id, { apiAccess: false });
    expect(await admitAll(first, attemptsOf(fiveKeys))).toEqual([
      "unauthorized",
      ...Array(4).fill("access_disabled"),
    ]);
  });

  test("enforces each limit exactly on four instances, and charges no refused attempt", async ({
    onTestFinished,
  }) => {
    const { first, all } = await fourStores(onTestFinished);
    const limitsOf = (n: number) => ({ requestsPerMinute: 46 + n, writesPerMinute: 17 + n });
    const keys = fiveKeys.map((one, n) => ({ ...one, ...limitsOf(n) }));
    await first.businesses.import([importOf(clinic, { keys })], { replace: false });
    const outcomes = await Promise.all(
      all.map(async (store) => {
        const admitted: string[] = [];
        for (let n = 0; n < 20; n++) {
          const attempts = attemptsOf(keys, { write: n % 2 === 0 });
          for (const [at, outcome] of (await admitAll(store, attempts)).entries()) {
            if (outcome === "admitted") admitted.push(`${keys[at]?.id} ${n % 2}`);
          }
        }
        return admitted;
      }),
    );
    const admitted = outcomes.flat();
    for (const { id, requestsPerMinute, writesPerMinute } of keys) {
      const writes = admitted.filter((one) => one === `${id} 0`).length;
      const reads = admitted.filter((one) => one === `${id} 1`).length;
      expect([writes, writes + reads]).toEqual([writesPerMinute, requestsPerMinute]);
    }
  });

  test("charges the other keys when one key does not exist", async ({ onTestFinished }) => {
    const { store, url } = await openRecorded(onTestFinished);
    await admitAll(store, attemptsOf(fiveKeys));
    const [gone] = fiveKeys;
    await withDatabase(url, (db) => db.collection("keys").deleteOne({ _id: gone?.id as never }));
    const outcomes = await admitAll(store, attemptsOf(fiveKeys));
    expect(outcomes).toEqual(["unauthorized", ...Array(4).fill("admitted")]);
  });
});

describe("the first events of a window, on several instances at once,", () => {
  test("are all counted: failed sign-ins of an address", async ({ onTestFinished }) => {
    const { first, all } = await fourStores(onTestFinished);
    for (let n = 0; n < 100; n++) {
      const subject = `198.51.100.${n}`;
      await Promise.all(all.map((store) => store.admission.admit(failedAttempt({ subject }))));
      const window = await first.admission.signInWindow(subject);
      expect(window.remaining).toBe(limits.failedSignIns - all.length);
    }
  });

  test("are all counted: requests of a key", async ({ onTestFinished }) => {
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

/** Opens a store that can be emptied between runs. */
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

/** Opens four instances on one new database. */
async function fourStores(atEnd: (end: OnTestFinishedHandler) => void) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const clock = testClock(); // on a busy machine, a minute can pass during the test
  const open = async () => {
    const store = await openStore(url, { random: randomBytes, clock });
    atEnd(() => store.close());
    return store;
  };
  const first = await open();
  return { first, all: [first, await open(), await open(), await open()] };
}

/** Opens a store with the business of the five keys, and records the commands that it sends for keys. */
async function openRecorded(atEnd: (end: OnTestFinishedHandler) => void) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const commands: Command[] = [];
  const onCommand = (command: Command) => {
    if (Object.values(command)[0] === "keys") commands.push(command);
  };
  const store = await openMongo(url, { prepare: "always", onCommand });
  atEnd(() => store.close());
  await store.businesses.import([importOf(clinic, { keys: fiveKeys })], { replace: false });
  return { url, store, commands };
}

/** Returns one attempt with each key. */
function attemptsOf(keys: readonly ApiKey[], changes: Partial<Attempt> = {}): Attempt[] {
  return keys.map(({ id: keyId, secretHash }, n) =>
    attempt({ credentials: { keyId, secretHash }, subject: `192.0.2.${n}`, ...changes }),
  );
}

/** Returns the outcomes of concurrent attempts. */
async function admitAll(store: Store, attempts: readonly Attempt[]): Promise<string[]> {
  const all = await Promise.all(attempts.map((one) => store.admission.admit(one)));
  return all.map(({ outcome }) => outcome);
}

function together(
  store: Store,
  attempts: readonly { write: boolean; address: string }[],
): Promise<Admission[]> {
  return Promise.all(attempts.map((one) => store.admission.admit(attempt(one))));
}
