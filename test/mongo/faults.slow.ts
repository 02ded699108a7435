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
import { startWitness } from "./support/witness.js";

// A key whose claim reached the database late is free again when its lease of 30 seconds is over.
interface WireScene extends Scene {
  readonly wire: Wire;
}

/** A service in this process whose database is at the other end of a wire. */
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

describe("a database that misbehaves", () => {
  test("that is gone and comes back: requests end in time, and it recovers by itself", async ({
    onTestFinished,
  }) => {
    const scene = await onAWire(onTestFinished);
    const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
    await witness.acknowledgedMore(afterwards);
    await scene.wire.cut();
    await expectBoundedRefusal(scene);
    await scene.wire.restore();
    await expectRecovery(scene);
    await witness.acknowledgedMore(afterwards);
    await expectNothingLost(scene, witness);
  });

  test("that goes with requests under way, again and again, leaves none without an answer", async ({
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

  test("that is frozen and goes on", async ({ onTestFinished }) => {
    const scene = await onAWire(onTestFinished);
    const witness = startWitness(scene.clinic, scene.url, scene.databaseUrl);
    await witness.acknowledgedMore(afterwards);
    scene.wire.freeze();
    await expectBoundedRefusal(scene);
    scene.wire.thaw();
    await expectRecovery(scene);
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
    scene.wire.limit(3);
    await witness.acknowledgedMore(afterwards);
    scene.wire.limit(0);
    await expectBoundedRefusal(scene);
    scene.wire.limit(Number.POSITIVE_INFINITY);
    await expectRecovery(scene);
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

  test("goes in the middle of a creation, and the same key can be used as soon as it is back", async ({
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
    await expect.poll(again, { timeout: 20_000 }).toBe(201); // long before the lease is over
  });

  test("that is away costs no memory, however many ask meanwhile", async ({ onTestFinished }) => {
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

  test("that is away when the service starts is waited for", async ({ onTestFinished }) => {
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

/** The memory in use once all that can be let go of was. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
