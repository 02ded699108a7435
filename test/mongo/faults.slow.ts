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

/** What happens to the way to the database while the workload goes on, and what ends it. */
const faults: Readonly<
  Record<string, (scene: WireScene, acknowledged: () => Promise<void>) => Promise<void>>
> = {
  async "an outage"(scene) {
    await scene.wire.cut();
    await expectBoundedRefusal(scene);
    await scene.wire.restore();
  },
  async "a frozen database"(scene) {
    scene.wire.freeze();
    await expectBoundedRefusal(scene);
    scene.wire.thaw();
  },
  async "a slow database"({ wire }, acknowledged) {
    wire.slow(100);
    await acknowledged();
    wire.slow(0);
  },
  async "too few connections, then none"(scene, acknowledged) {
    scene.wire.limit(3);
    await acknowledged();
    scene.wire.limit(0);
    await expectBoundedRefusal(scene);
    scene.wire.limit(Number.POSITIVE_INFINITY);
  },
  async "lost responses"({ wire }, acknowledged) {
    for (const command of ["insert", "update", "update entries", "find"]) {
      for (let n = 0; n < 4; n++) {
        wire.loseNextResponse(command);
        await acknowledged();
      }
    }
    expect(wire.lost).toBeGreaterThan(8);
  },
  async "writes that the server ends because of a conflict"({ wire }, acknowledged) {
    for (const command of ["insert entries", "update entries"]) {
      wire.conflictNext(command, { times: 3 });
      await acknowledged();
    }
  },
};

describe("faults of the database", () => {
  test.for(Object.entries(faults))(
    "%s: requests end in time, nothing is lost or done twice, and the service recovers without a restart",
    async ([, fault], { onTestFinished }) => {
      const scene = await onAWire(onTestFinished);
      const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl);
      const acknowledged = () => workload.acknowledgedMore(20);
      await acknowledged();
      await fault(scene, acknowledged);
      await expectRecovery(scene);
      await acknowledged();
      await expectNothingLost(scene, workload);
    },
  );

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
