import { randomBytes } from "node:crypto";
import { openStore, readConfig, startServer } from "@queue-api/server";
import { expect } from "vitest";
import { customer1 } from "../../support/client.js";
import { Clinic } from "../../support/clinic.js";
import { withDatabase } from "../../support/mongo.js";
import { type Owner, ownerOf } from "../../support/owner.js";
import { clinicSeed, wideKey } from "../../support/seed.js";
import type { Witness } from "./witness.js";

/** A service in this process whose database is about to misbehave. */
export interface Scene {
  readonly url: string;
  readonly clinic: Clinic;
  /** The owner's side, on the service's own store. */
  readonly owner: Owner;
  /** The database itself, past what stands before it. */
  readonly databaseUrl: string;
}

/** Starts a service with a clinic on the database that it reaches at `storeUrl`. */
export async function startScene(
  storeUrl: string,
  databaseUrl: string,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Scene> {
  const store = await openStore(storeUrl, { random: randomBytes });
  atEnd(() => store.close());
  const config = {
    ...readConfig({}),
    port: 0,
    logLevel: "silent",
    shutdownSeconds: 1,
    trustProxy: ["loopback"],
  };
  const server = await startServer({ store, config, random: randomBytes });
  atEnd(() => server.close());
  const seed = clinicSeed({ keys: [wideKey] });
  const owner = ownerOf(store, Date.now);
  const seeded = await owner.seed(seed);
  const clinic = new Clinic({ url: server.url, conformance: null }, seed.slug, seeded, "10.0.0.1");
  return { url: server.url, clinic, owner, databaseUrl };
}

/**
 * How long a request may take while the database is away, by the defaults: 3 seconds to find a server, 3
 * for a connection, 5 for an answer; and 14 for a busy machine. The driver alone takes 30.
 */
export const boundMs = 25_000;

/** How long the service may take to be itself again when the database is back. */
const recoveryMs = 30_000;

/** A read and a write while the database is away: both end in time, with an answer that says so. */
export async function expectBoundedRefusal({ clinic, url }: Scene): Promise<void> {
  const began = performance.now();
  const client = clinic.client();
  const answers = await Promise.all([
    client.get("/v1/me"),
    client.create(clinic.queue(), customer1, crypto.randomUUID()),
  ]);
  expect(performance.now() - began).toBeLessThan(boundMs);
  for (const answer of answers) {
    expect(answer.status).toBe(500);
    expect(answer.error.code).toBe("internal_error");
    expect(Number(answer.header("Retry-After"))).toBeGreaterThan(0);
  }
  expect(await readiness(url)).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

export async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

/** It answers again soon after the database is back, without a restart. */
export async function expectRecovery({ url }: Scene): Promise<void> {
  await expect.poll(() => readiness(url), { timeout: recoveryMs }).toBe(200);
}

/** What holds after every fault: nothing is lost, nothing is done twice, and the counts are right. */
export async function expectNothingLost(scene: Scene, witness: Witness) {
  const testimony = await witness.testimony();
  expect(testimony).toMatchObject({ missing: [], twice: [], sameNumber: [], impossible: null });
  expect(testimony.acknowledged).toBeGreaterThan(0);
  await expectRightCounts(scene);
}

/** Compares the counts and places in responses with the database. */
async function expectRightCounts({ clinic, databaseUrl }: Scene): Promise<void> {
  const client = clinic.client();
  const waiting = await withDatabase(databaseUrl, (db) =>
    db.collection("entries").countDocuments({ status: "WAITING" }),
  );
  await expect
    .poll(async () => (await client.create(clinic.queue(), customer1)).data.position, {
      timeout: 60_000,
      interval: 1_000,
    })
    .toSatisfy((position) => position > waiting);
  const there = await withDatabase(databaseUrl, (db) =>
    db.collection("entries").find({ status: "WAITING" }).sort({ tokenNumber: -1 }).toArray(),
  );
  const last = await client.entry(String(there[0]?._id));
  expect(last.data.position).toBe(there.length);
}
