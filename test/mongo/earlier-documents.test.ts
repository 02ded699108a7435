import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testClock } from "../store/support/adapters.js";
import {
  appointment,
  attempt,
  clinic,
  id,
  kiosk,
  linkOf,
  owner,
  settle,
  token,
} from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

describe("documents of a release without sandboxes", () => {
  test("are read as businesses that are not sandboxes, and as keys of their owners", async ({
    onTestFinished,
  }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const store = await openStore(database.url, { clock: testClock(), random: randomBytes });
    onTestFinished(() => store.close());
    await settle(store);
    await withDatabase(database.url, async (db) => {
      await db.collection("businesses").updateMany({}, { $unset: { sandbox: "" } });
      const unset = { purpose: "", "business.sandbox": "" };
      await db.collection("keys").updateMany({}, { $unset: unset });
    });

    expect(await store.businesses.bySlug("clinic")).toEqual(clinic);
    expect(await store.keys.list(clinic.id)).toEqual([{ ...kiosk, lastUsedAt: null }]);
    expect(await store.admission.admit(attempt())).toMatchObject({ key: kiosk, business: clinic });
  });
});

describe("idempotency records of a release that stored the HTTP response", () => {
  test("are replayed with the same body, and a claim without a response can be taken over", async ({
    onTestFinished,
  }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const clock = testClock();
    const store = await openStore(database.url, { clock, random: randomBytes });
    onTestFinished(() => store.close());
    await settle(store);
    const body = '{"data":{"id":"e1","token":"A1"}}';
    const record = (key: string, answer: object | null) => ({
      ...{ _id: `${clinic.id}:${key}`, businessId: clinic.id, key, fingerprint: "same", answer },
      ...{ claimId: key, owner: key, attempt: key, leaseUntil: 0, keptUntil: clock() + 60_000 },
    });
    await withDatabase(database.url, async (db) => {
      await db
        .collection<{ _id: string }>("idempotency")
        .insertMany([
          record("of-the-api", { status: 201, body, location: "http://q/v1/entries/e1" }),
          record("form:walk-in", { status: 201, body: "A2", location: "" }),
          record("under-way", null),
        ]);
    });

    const claim = (key: string) =>
      store.idempotency.claim(clinic.id, { key, fingerprint: "same", owner: "again" });
    expect(await claim("of-the-api")).toEqual({ outcome: "replay", receipt: body });
    const walkIn = { outcome: "replay", receipt: '{"data":{"token":"A2"}}' };
    expect(await claim("form:walk-in")).toEqual(walkIn);
    expect(await claim("under-way")).toMatchObject({ outcome: "claimed", takenOver: true });
  });
});

describe("entries, appointments and accounts of a release without their latest fields", () => {
  test("change once per revision, have no token, and have the role of an owner", async ({
    onTestFinished,
  }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const clock = testClock();
    const store = await openStore(database.url, { clock, random: randomBytes });
    onTestFinished(() => store.close());
    await settle(store, { appointments: [appointment("visit")] });
    await store.entries.issue(clinic.id, token("one"));
    const anna = owner("anna");
    await store.accounts.add(clinic.id, anna, linkOf(anna, clock() + 60_000));
    await withDatabase(database.url, async (db) => {
      const unset = { revision: "", calls: "", counter: "" };
      await db.collection("entries").updateMany({}, { $unset: unset });
      await db.collection("appointments").updateMany({}, { $unset: { entryId: "" } });
      await db.collection("owners").updateMany({}, { $unset: { role: "" } });
    });

    const act = (by: "call" | "undo", seen: number) =>
      store.entries.move(clinic.id, id("one"), by, clock(), { seen });
    const taps = await Promise.all([act("call", 0), act("call", 0), act("call", 0)]);
    expect(taps.filter(({ outcome }) => outcome === "moved")).toHaveLength(1);
    expect(await act("undo", 1)).toMatchObject({ outcome: "moved", entry: { revision: 2 } });
    expect(await act("call", 0)).toMatchObject({ outcome: "invalid_state" });
    expect(await store.appointments.get(clinic.id, id("visit"))).toEqual(appointment("visit"));
    expect(await store.accounts.list(clinic.id)).toEqual([anna]);
  });
});
