import { expect, test } from "vitest";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import { testClock } from "../store/support/adapters.js";
import { clinic, importOf } from "../store/support/records.js";
import { mongoDatabase } from "../support/mongo.js";
import { Wire } from "./support/wire.js";

test("a claim fails when the database accepts reads but no writes", async ({ onTestFinished }) => {
  const database = mongoDatabase();
  onTestFinished(database.remove);
  const wire = await Wire.to(database.url, { socketTimeoutMS: 500 });
  onTestFinished(() => wire.close());
  const clock = testClock();
  const options = { clock, elapsed: clock.elapsed, prepare: "always" } as const;
  const store = await openMongo(wire.url, options);
  onTestFinished(() => store.close());
  await store.businesses.import([importOf(clinic)], { replace: false });

  const request = { key: "key-0001", fingerprint: "body", owner: "owner1" };
  const first = wire.holdNext("insert idempotency");
  const claiming = store.idempotency.claim(clinic.id, request);
  await first.reached;
  const second = wire.holdNext("insert idempotency");
  const failed = expect(claiming).rejects.toThrow();
  await second.reached;
  wire.holdNext("insert idempotency"); // a third attempt would never end
  await failed;
});
