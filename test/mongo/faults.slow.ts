import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { customer1 } from "../support/client.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { launch } from "../support/process.js";
import {
  boundMs,
  expectBoundedRefusal,
  expectNothingLost,
  expectRecovery,
  readiness,
  type Scene,
  startScene,
} from "./support/scene.js";
import { Wire } from "./support/wire.js";
import { startWorkload } from "./support/workload.js";

interface WireScene extends Scene {
  readonly wire: Wire;
}

/** Starts a service in this process that reaches its database through a `Wire`. */
async function onAWire(
  atEnd: (end: OnTestFinishedHandler) => void,
  settings: Record<string, number> = {},
): Promise<WireScene> {
  const database = mongoDatabase();
  atEnd(database.remove);
  const wire = await Wire.to(database.url, settings);
  atEnd(() => wire.close());
  return { wire, ...(await startScene(wire.url, database.url, atEnd)) };
}

const afterwards = 20;

describe("faults of the database", () => {
  test("an outage: requests end in time, and the service recovers without a restart", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl);
    await workload.acknowledgedMore(afterwards);
    await scene.wire.cut();
    await expectBoundedRefusal(scene);
    await scene.wire.restore();
    await expectRecovery(scene);
    await workload.acknowledgedMore(afterwards);
    await expectNothingLost(scene, workload);
  });

  test("repeated outages with pending requests: every request gets a response", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const { clinic, wire } = scene;
    for (let round = 0; round < 3; round++) {
      let gone = false;
      const asking = Array.from({ length: 30 }, async (_, n) => {
        const caller = n % 2 === 0 ? clinic.client() : clinic.stranger().from(`10.1.${round}.${n}`);
        do {
          const began = performance.now();
          expect([200, 401, 429, 500]).toContain((await caller.get("/v1/me")).status);
          expect(performance.now() - began).toBeLessThan(boundMs);
        } while (!gone);
      });
      await clinic.client().get("/v1/me");
      await wire.cut();
      gone = true;
      await Promise.all(asking);
      await wire.restore();
      await expectRecovery(scene);
    }
  });

  test("a frozen database: requests end in time, and the service recovers without a restart", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl);
    await workload.acknowledgedMore(afterwards);
    scene.wire.freeze();
    await expectBoundedRefusal(scene);
    scene.wire.thaw();
    await expectRecovery(scene);
    await workload.acknowledgedMore(afterwards);
    await expectNothingLost(scene, workload);
  });

  test("a slow database: nothing is lost", async ({ onTestFinished }) => {
    const scene = await onAWire(onTestFinished);
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl);
    scene.wire.slow(100);
    await workload.acknowledgedMore(afterwards);
    scene.wire.slow(0);
    await workload.acknowledgedMore(afterwards);
    await expectNothingLost(scene, workload);
  });

  test("too few connections: requests end in time, and the service recovers without a restart", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl);
    await workload.acknowledgedMore(afterwards);
    scene.wire.limit(3);
    await workload.acknowledgedMore(afterwards);
    scene.wire.limit(0);
    await expectBoundedRefusal(scene);
    scene.wire.limit(Number.POSITIVE_INFINITY);
    await expectRecovery(scene);
    await workload.acknowledgedMore(afterwards);
    await expectNothingLost(scene, workload);
  });

  for (const command of ["insert", "update", "update entries", "find"]) {
    test(`lost responses to ${command}: nothing is lost and nothing is done twice`, async ({
      onTestFinished,
    }) => {
      const scene = await onAWire(onTestFinished);
      const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl);
      for (let n = 0; n < 8; n++) {
        scene.wire.loseNextResponse(command);
        await workload.acknowledgedMore(afterwards);
      }
      expect(scene.wire.lost).toBeGreaterThan(2);
      await expectNothingLost(scene, workload);
    });
  }

  test("a lost response to a creation: it is recognized, and the same key gets a replay", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const client = scene.clinic.client();
    const queue = scene.clinic.queue();
    await client.create(queue, customer1);
    for (let n = 1; n <= 5; n++) {
      const key = crypto.randomUUID();
      scene.wire.loseNextResponse("insert entries");
      const first = await client.create(queue, customer1, key);
      expect(scene.wire.lost).toBe(n);
      expect(first.status).toBe(201);
      expect(first.headers.has("idempotent-replay")).toBe(false);
      const replay = await client.create(queue, customer1, key);
      expect(replay.header("Idempotent-Replay")).toBe("true");
      expect(replay.text).toBe(first.text);
    }
    const { databaseUrl } = scene;
    const people = await withDatabase(databaseUrl, (db) =>
      db.collection("entries").countDocuments(),
    );
    expect(people).toBe(1 + 5);
  });

  test("a write that the server ends because of a conflict: it is sent again", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const client = scene.clinic.client();
    const queue = scene.clinic.queue();
    const { data } = await client.create(queue, customer1);
    scene.wire.conflictNext("insert entries", { times: 3 });
    expect((await client.create(queue, customer1)).data.position).toBe(2);
    scene.wire.conflictNext("update entries", { times: 3 });
    expect((await client.cancel(data.id)).status).toBe(200);
  });

  test("an outage during a creation: the same key can be used as soon as the database is available", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const client = scene.clinic.client();
    const queue = scene.clinic.queue();
    const key = crypto.randomUUID();
    const held = scene.wire.holdNext("insert entries");
    const first = client.create(queue, customer1, key);
    await held.reached;
    await scene.wire.cut();
    expect((await first).status).toBe(500);
    await scene.wire.restore();
    await expectRecovery(scene);
    const again = async () => (await client.create(queue, customer1, key)).status;
    await expect.poll(again, { timeout: 20_000 }).toBe(201);
  });

  test("an outage: any number of requests leaves no memory in use", async ({ onTestFinished }) => {
    const scene = await onAWire(onTestFinished, { serverSelectionTimeoutMS: 100 });
    const { clinic, wire } = scene;
    const client = clinic.client();
    await client.create(clinic.queue(), customer1);
    await wire.cut();
    const ask = async (times: number) => {
      for (let n = 0; n < times; n++) {
        const asked = Array.from({ length: 50 }, (_, n) =>
          n % 2 === 0
            ? client.create(clinic.queue(), customer1, crypto.randomUUID())
            : client.from(`10.2.0.${n}`).with(null).get("/v1/me"),
        );
        for (const { status } of await Promise.all(asked)) expect(status).toBe(500);
      }
    };
    await ask(10);
    const before = heapUsed();
    await ask(60);
    expect(heapUsed() - before).toBeLessThan(2_000_000); // 3,000 requests: under 700 bytes each
  });

  test("an outage at the start: the service waits for the database", async ({ onTestFinished }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const wire = await Wire.to(database.url);
    onTestFinished(() => wire.close());
    const { url } = wire;
    await wire.cut();
    const starting = launch(url, onTestFinished, { LOG_LEVEL: "warn" });
    await expect.poll(starting.output).toContain("waiting for the database");
    expect(starting.output()).not.toContain("listening");
    await wire.restore();
    expect(await readiness((await starting.ready).url)).toBe(200);
  });
});

/** Returns the memory in use after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
