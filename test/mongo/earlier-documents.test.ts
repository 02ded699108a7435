import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { expect, test } from "vitest";
import { testClock } from "../store/support/adapters.js";
import { attempt, clinic, kiosk, settle } from "../store/support/records.js";
import { describeWithMongo, mongoDatabase, withDatabase } from "../support/mongo.js";

describeWithMongo("documents that were kept before there were sandboxes", () => {
  test("are of businesses that are none, and of keys that are their owners'", async ({
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
