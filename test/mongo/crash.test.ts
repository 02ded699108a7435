import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { Clinic } from "../support/clinic.js";
import { mongoDatabase } from "../support/mongo.js";
import { ownerByCommand } from "../support/owner.js";
import { serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import { startWitness } from "./support/witness.js";

/*
 * A database server that is really killed, and really frozen. `TEST_MONGODB_CONTROL` names a program
 * that does it: `up` starts a server on the port in MONGO_PORT and prints its URL, `kill`, `pause`
 * and `resume` do what they say, and `wipe` stops it and removes its data.
 */
const { TEST_MONGODB_CONTROL: control } = process.env;

/**
 * A server of this test's own. Neither here nor 28,415 above, where the program may run what is behind the
 * server, does a system give a port to a connection, which would then be in the way of the second `up`.
 */
const port = String(32_585 + (process.pid % 183));

async function server(does: "up" | "kill" | "pause" | "resume" | "wipe"): Promise<string> {
  if (!control) throw new Error("there is no program that controls a server");
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
  test("that is killed and started again, and then frozen, loses nothing that was acknowledged", async ({
    onTestFinished,
  }) => {
    onTestFinished(async () => {
      await server("wipe");
    });
    const database = mongoDatabase(await server("up"));
    onTestFinished(database.remove);
    const owner = ownerByCommand(database.url);
    const seed = clinicSeed({ keys: [wideKey] });
    const seeded = await owner.seed(seed);
    const { url } = await serve(database.url, onTestFinished, { LOG_LEVEL: "silent" });
    const target = { url, conformance: null };
    const clinic = new Clinic(target, seed.slug, seeded, "10.0.0.1");
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    const witness = startWitness(clinic, url, database.url);
    await witness.acknowledgedMore(50);

    await server("kill");
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    const away = await clinic.client().get("/v1/me");
    expect(away.status).toBe(500);
    expect(Number(away.header("Retry-After"))).toBeGreaterThan(0);
    await server("up");
    await witness.acknowledgedMore(50);

    await server("pause");
    await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
    await server("resume");
    await witness.acknowledgedMore(50);
    expect(await readiness()).toBe(200);

    const testimony = await witness.testimony();
    expect(testimony).toMatchObject({ missing: [], twice: [], sameNumber: [], impossible: null });
  });
});
