import { describe, expect, test } from "vitest";
import { seededClinic } from "../support/clinic.js";
import { mongoDatabase } from "../support/mongo.js";
import { ownerAt } from "../support/owner.js";
import { serve } from "../support/process.js";
import { wideKey } from "../support/seed.js";
import { control, ownServer } from "./support/own-server.js";
import { startWorkload } from "./support/workload.js";

if (!control) {
  console.warn(
    "SKIPPED: tests that kill a database server. Run them with TEST_MONGODB_CONTROL=PROGRAM, see test/mongo/crash.test.ts",
  );
}

describe.skipIf(!control)("a database server under load", () => {
  test("loses no acknowledged write when it is killed, restarted and then frozen", async ({
    onTestFinished,
  }) => {
    onTestFinished(async () => {
      await ownServer("wipe");
    });
    const database = mongoDatabase(await ownServer("up"));
    onTestFinished(database.remove);
    const { url } = await serve(database.url, onTestFinished, { LOG_LEVEL: "silent" });
    const target = { url, conformance: null };
    const clinic = await seededClinic(target, ownerAt(database.url), { keys: [wideKey] });
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    const workload = startWorkload(clinic, url, database.url);
    await workload.acknowledgedMore(50);

    await ownServer("kill");
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    const away = await clinic.client().get("/v1/me");
    expect(away.status).toBe(500);
    expect(Number(away.header("Retry-After"))).toBeGreaterThan(0);
    await ownServer("up");
    await workload.acknowledgedMore(50);

    await ownServer("pause");
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    await ownServer("resume");
    await workload.acknowledgedMore(50);
    expect(await readiness()).toBe(200);

    const results = await workload.results();
    expect(results).toMatchObject({ missing: [], twice: [], sameNumber: [], impossible: [] });
  });
});
