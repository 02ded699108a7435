import { randomBytes } from "node:crypto";
import { openStore, readConfig, startServer } from "@queue-api/server";
import { expect, type OnTestFinishedHandler, test, vi } from "vitest";
import { customer1 } from "../support/client.js";
import { Clinic } from "../support/clinic.js";
import { describeWithMongo, mongoDatabase, withDatabase } from "../support/mongo.js";
import { ownerOf } from "../support/owner.js";
import { serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import { Wire } from "./support/wire.js";
import { startWitness } from "./support/witness.js";

vi.setConfig({ testTimeout: 90_000 });

interface Scene {
  readonly wire: Wire;
  readonly url: string;
  readonly clinic: Clinic;
  readonly databaseUrl: string;
}

/** A service in this process whose database is at the other end of a wire. */
async function onAWire(atEnd: (end: OnTestFinishedHandler) => void): Promise<Scene> {
  const database = mongoDatabase();
  atEnd(database.remove);
  const wire = await Wire.to(database.url);
  atEnd(() => wire.close());
  const store = await openStore(wire.url, { random: randomBytes });
  atEnd(() => store.close());
  const config = { ...readConfig({}), port: 0, logLevel: "silent", shutdownSeconds: 1 };
  const server = await startServer({ store, config, random: randomBytes });
  atEnd(() => server.close());
  const seed = clinicSeed({ keys: [wideKey] });
  const seeded = await ownerOf(store, Date.now).seed(seed);
  const clinic = new Clinic({ url: server.url, conformance: null }, seed.slug, seeded, "10.0.0.1");
  return { wire, url: server.url, clinic, databaseUrl: database.url };
}

/** How long a request may take while the database is away. */
const boundMs = 6_000;

/** A read and a write while the database is away: both end in time, with an answer that says so. */
async function expectBoundedRefusal({ clinic, url }: Scene): Promise<void> {
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
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
}

/** What holds after every fault: nothing is lost, nothing is done twice, and the counts are right. */
async function expectNothingLost(scene: Scene, witness: ReturnType<typeof startWitness>) {
  const testimony = await witness.testimony();
  expect(testimony).toMatchObject({ missing: [], twice: [], sameNumber: [] });
  expect(testimony.acknowledged).toBeGreaterThan(0);
  await expectRightCounts(scene);
}

/** Counts and places as told, and as counted in the database itself. */
async function expectRightCounts({ clinic, databaseUrl }: Scene): Promise<void> {
  const client = clinic.client();
  const waiting = await withDatabase(databaseUrl, (db) =>
    db.collection("entries").countDocuments({ status: "WAITING" }),
  );
  await expect
    .poll(async () => (await client.create(clinic.queue(), customer1)).data.position, {
      timeout: 10_000,
      interval: 1_000,
    })
    .toSatisfy((position) => position > waiting);
  const there = await withDatabase(databaseUrl, (db) =>
    db.collection("entries").find({ status: "WAITING" }).sort({ tokenNumber: -1 }).toArray(),
  );
  const last = await client.entry(String(there[0]?._id));
  expect(last.data.position).toBe(there.length);
}

const afterwards = 20;

describeWithMongo("a database that misbehaves", () => {
  test("that is gone and comes back: requests end in time, and it recovers by itself", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
    await witness.acknowledgedMore(afterwards);
    await scene.wire.cut();
    await expectBoundedRefusal(scene);
    await scene.wire.restore();
    await witness.acknowledgedMore(afterwards);
    expect((await fetch(`${scene.url}/readyz`)).status).toBe(200);
    await expectNothingLost(scene, witness);
  });

  test("that is frozen and goes on", async ({ onTestFinished }) => {
    const scene = await onAWire(onTestFinished);
    const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
    await witness.acknowledgedMore(afterwards);
    scene.wire.freeze();
    await expectBoundedRefusal(scene);
    scene.wire.thaw();
    await witness.acknowledgedMore(afterwards);
    await expectNothingLost(scene, witness);
  });

  test("that is slow", async ({ onTestFinished }) => {
    const scene = await onAWire(onTestFinished);
    const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
    scene.wire.slow(100);
    await witness.acknowledgedMore(afterwards);
    scene.wire.slow(0);
    await witness.acknowledgedMore(afterwards);
    await expectNothingLost(scene, witness);
  });

  test("that is out of connections", async ({ onTestFinished }) => {
    const scene = await onAWire(onTestFinished);
    const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
    await witness.acknowledgedMore(afterwards);
    scene.wire.limit(0);
    await expectBoundedRefusal(scene);
    scene.wire.limit(Number.POSITIVE_INFINITY);
    await witness.acknowledgedMore(afterwards);
    await expectNothingLost(scene, witness);
  });

  for (const command of ["findAndModify", "insert", "update"]) {
    test(`whose answer to ${command} is lost after it was carried out`, async ({
      onTestFinished,
    }) => {
      const scene = await onAWire(onTestFinished);
      const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
      for (let n = 0; n < 8; n++) {
        scene.wire.loseNextAnswer(command);
        await witness.acknowledgedMore(afterwards);
      }
      expect(scene.wire.lost).toBeGreaterThan(2);
      await expectNothingLost(scene, witness);
    });
  }

  test("loses the answer to a creation, and the same key again is a replay", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const client = scene.clinic.client();
    const queue = scene.clinic.queue();
    await client.create(queue, customer1);
    for (let n = 1; n <= 5; n++) {
      const key = crypto.randomUUID();
      scene.wire.loseNextAnswer("insert entries");
      const first = await client.create(queue, customer1, key);
      expect(scene.wire.lost).toBe(n);
      expect(first.status).toBe(500);
      const again = await client.create(queue, customer1, key);
      expect(again.status).toBe(201);
      expect(again.header("Idempotent-Replay")).toBe("true");
      const replay = await client.create(queue, customer1, key);
      expect(replay.text).toBe(again.text);
    }
    const { databaseUrl } = scene;
    const people = await withDatabase(databaseUrl, (db) =>
      db.collection("entries").countDocuments(),
    );
    expect(people).toBe(1 + 5);
  });

  test("that is away when the service starts is waited for", async ({ onTestFinished }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const wire = await Wire.to(database.url);
    onTestFinished(() => wire.close());
    const { url } = wire;
    await wire.cut();
    const starting = serve(url, onTestFinished, { LOG_LEVEL: "warn" });
    const early = await Promise.race([starting, new Promise((r) => setTimeout(r, 4_000, "waits"))]);
    expect(early).toBe("waits");
    await wire.restore();
    const server = await starting;
    expect(server.output()).toContain("waiting for the database");
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});
