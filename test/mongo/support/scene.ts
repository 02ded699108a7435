import { randomBytes } from "node:crypto";
import { openStore, readConfig, startServer } from "@queue-api/server";
import { expect } from "vitest";
import { customer1 } from "../../support/client.js";
import { Clinic } from "../../support/clinic.js";
import { withDatabase } from "../../support/mongo.js";
import { type Owner, ownerOf } from "../../support/owner.js";
import { clinicSeed, wideKey } from "../../support/seed.js";
import type { Workload } from "./workload.js";

/** A service in this process for tests that cause faults of the database. */
export interface Scene {
  readonly url: string;
  readonly clinic: Clinic;
  /** The owner's actions, on the service's own store. */
  readonly owner: Owner;
  /** The URL of the database itself, without the proxy. */
  readonly databaseUrl: string;
}

/** Starts a service with a clinic. It connects to `storeUrl`, a proxy of the database at `databaseUrl`. */
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
 * How long a request may take during an outage of the database. By default: 3 seconds to select a server, 3
 * for a connection and 5 for a response; 14 more for a busy machine. The driver alone takes 30.
 */
export const boundMs = 25_000;

/** How long the service may take to recover when the database is available again. */
const recoveryMs = 30_000;

/** Expects that a read and a write during an outage return 500 with Retry-After in time. */
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

/** Expects that the service recovers without a restart soon after the database is available again. */
export async function expectRecovery({ url }: Scene): Promise<void> {
  await expect.poll(() => readiness(url), { timeout: recoveryMs }).toBe(200);
}

/** Expects that nothing is lost, nothing is done twice, and the counts are right. */
export async function expectNothingLost(scene: Scene, workload: Workload) {
  const results = await workload.results();
  expect(results).toMatchObject({ missing: [], twice: [], sameNumber: [], impossible: [] });
  expect(results.acknowledged).toBeGreaterThan(0);
  await expectRightCounts(scene);
}

/** Compares the positions in responses with the database. */
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
