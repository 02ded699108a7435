import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { seededClinic } from "../support/clinic.js";
import { mongoDatabase } from "../support/mongo.js";
import { ownerAt } from "../support/owner.js";
import { serve } from "../support/process.js";
import { wideKey } from "../support/seed.js";
import { startWorkload } from "./support/workload.js";

/*
 * Kills and freezes a real database server. `TEST_MONGODB_CONTROL` names the program that controls it:
 * `up` starts a server on the port in MONGO_PORT and prints its URL, `kill` kills it, `pause`
 * and `resume` freeze it and let it continue, and `wipe` stops it and removes its data.
 */
const { TEST_MONGODB_CONTROL: control } = process.env;

/**
 * The port of this test's server. The program can use the port 28,415 above it too. No system assigns either
 * port to an outgoing connection, so both are free for the second `up`.
 */
const port = String(32_585 + (process.pid % 183));

async function server(does: "up" | "kill" | "pause" | "resume" | "wipe"): Promise<string> {
  if (!control) throw new Error("TEST_MONGODB_CONTROL names no program");
  const env = { ...process.env, MONGO_PORT: port };
  const { stdout } = await promisify(execFile)(control, [does], { env, timeout: 120_000 });
  return stdout.trim();
}

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
      await server("wipe");
    });
    const database = mongoDatabase(await server("up"));
    onTestFinished(database.remove);
    const { url } = await serve(database.url, onTestFinished, { LOG_LEVEL: "silent" });
    const target = { url, conformance: null };
    const clinic = await seededClinic(target, ownerAt(database.url), { keys: [wideKey] });
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    const workload = startWorkload(clinic, url, database.url);
    await workload.acknowledgedMore(50);

    await server("kill");
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    const away = await clinic.client().get("/v1/me");
    expect(away.status).toBe(500);
    expect(Number(away.header("Retry-After"))).toBeGreaterThan(0);
    await server("up");
    await workload.acknowledgedMore(50);

    await server("pause");
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    await server("resume");
    await workload.acknowledgedMore(50);
    expect(await readiness()).toBe(200);

    const results = await workload.results();
    expect(results).toMatchObject({ missing: [], twice: [], sameNumber: [], impossible: [] });
  });
});
