import mongoose from "mongoose";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { Client, customer1 } from "../support/client.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { ReplicaSet } from "./support/replica-set.js";
import {
  expectBoundedRefusal,
  expectNothingLost,
  expectRecovery,
  type Scene,
  startScene,
} from "./support/scene.js";
import { Wire } from "./support/wire.js";
import { startWorkload } from "./support/workload.js";

type AtEnd = (end: OnTestFinishedHandler) => void;

interface SetScene extends Scene {
  readonly set: ReplicaSet;
}

async function onASet(atEnd: AtEnd): Promise<SetScene> {
  const database = mongoDatabase();
  atEnd(database.remove);
  const set = await ReplicaSet.before(database.url, atEnd);
  return { set, ...(await startScene(set.url, database.url, atEnd)) };
}

/** Returns a collection, and an increment whose result shows whether it was carried out twice. */
async function counterOn(set: ReplicaSet, atEnd: AtEnd) {
  const connection = await mongoose.createConnection(set.url).asPromise();
  atEnd(() => connection.close());
  const counters = connection.collection<{ _id: string; n: number }>("counters");
  await counters.insertOne({ _id: "counter", n: 0 });
  const increment = () =>
    counters.findOneAndUpdate(
      { _id: "counter" },
      { $inc: { n: 1 } },
      { returnDocument: "after", includeResultMetadata: false },
    );
  return { counters, increment };
}

const ways = ["responding", "closing"] as const;
const afterwards = 20;

describe("the simulated replica set", () => {
  for (const way of ways) {
    test(`carries out a retried write once after a step-down (${way})`, async ({
      onTestFinished,
    }) => {
      const { url, remove } = mongoDatabase();
      onTestFinished(remove);
      const set = await ReplicaSet.before(url, onTestFinished);
      const { increment } = await counterOn(set, onTestFinished);
      for (let n = 1; n <= 5; n++) {
        const incremented = increment();
        await set.nextWrite;
        await set.stepDown(way);
        set.elect();
        expect(await incremented).toEqual({ _id: "counter", n });
      }
      expect(set.repeated).toBe(5);
    });
  }

  test("rolls back a write that a majority does not have, and hides it from majority reads", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    const set = await ReplicaSet.before(url, onTestFinished);
    const { counters, increment } = await counterOn(set, onTestFinished);
    await increment();
    await set.isolatePrimary();
    await counters.updateOne({ _id: "counter" }, { $inc: { n: 10 } }, { writeConcern: { w: 1 } });
    const incremented = increment(); // is not acknowledged before the election
    const counted = async (level: "local" | "majority") =>
      (await counters.findOne({ _id: "counter" }, { readConcern: { level } }))?.n;
    await expect.poll(() => counted("local")).toBe(12);
    expect(await counted("majority")).toBe(1);
    await set.stepDown("responding");
    expect(set.rolledBack).toBe(1);
    set.elect();
    expect(await incremented).toEqual({ _id: "counter", n: 2 });
    expect(set.repeated).toBe(0);
  });
});

describe("elections of another primary", () => {
  test("lose nothing and do nothing twice", async ({ onTestFinished }) => {
    const scene = await onASet(onTestFinished);
    const { set } = scene;
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl, scene.owner);
    for (let round = 0; round < 6; round++) {
      await workload.acknowledgedMore(afterwards);
      await set.nextWrite;
      await set.stepDown(round % 2 === 0 ? "responding" : "closing");
      set.elect();
    }
    await workload.acknowledgedMore(afterwards);
    expect(set.repeated).toBeGreaterThan(0);
    await expectNothingLost(scene, workload);
  });

  test("roll back only unacknowledged writes", async ({ onTestFinished }) => {
    const scene = await onASet(onTestFinished);
    const { set } = scene;
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl, scene.owner);
    for (let round = 0; round < 3; round++) {
      await workload.acknowledgedMore(afterwards);
      await set.isolatePrimary();
      await set.writtenMore(3);
      await set.stepDown(round % 2 === 0 ? "responding" : "closing");
      set.elect();
    }
    await workload.acknowledgedMore(afterwards);
    expect(set.rolledBack).toBeGreaterThan(0);
    await expectNothingLost(scene, workload);
  });

  test("that are soon delay requests", async ({ onTestFinished }) => {
    const { set, clinic, url } = await onASet(onTestFinished);
    const client = clinic.client();
    await client.create(clinic.queue(), customer1);
    for (const way of [...ways, ...ways, ...ways]) {
      const { refused } = set;
      await set.stepDown(way);
      const reads = Array.from({ length: 5 }, () => client.get("/v1/me"));
      const creations = reads.map(() => client.create(clinic.queue(), customer1));
      await fetch(`${url}/healthz`); // by then the service has all requests
      if (way === "responding") await expect.poll(() => set.refused).toBeGreaterThan(refused);
      set.elect();
      const statuses = (await Promise.all([...reads, ...creations])).map(({ status }) => status);
      expect(statuses, way).toEqual([...reads.map(() => 200), ...creations.map(() => 201)]);
    }
  });

  test("that are soon delay the requests whose connections they close", async ({
    onTestFinished,
  }) => {
    const { set, clinic } = await onASet(onTestFinished);
    const client = clinic.client();
    await client.create(clinic.queue(), customer1);
    for (let round = 0; round < 5; round++) {
      const reads = Array.from({ length: 5 }, () => client.with(clinic.key()).get("/v1/me"));
      const creations = reads.map(() =>
        client.with(clinic.key()).create(clinic.queue(), customer1),
      );
      await set.writtenMore(3);
      await set.stepDown("closing");
      set.elect();
      const statuses = (await Promise.all([...reads, ...creations])).map(({ status }) => status);
      expect(statuses).toEqual([...reads.map(() => 200), ...creations.map(() => 201)]);
    }
  });

  test("that are late let requests fail in time, and the service recovers without a restart", async ({
    onTestFinished,
  }) => {
    const scene = await onASet(onTestFinished);
    const { set, clinic } = scene;
    await clinic.client().create(clinic.queue(), customer1);
    for (const way of ways) {
      await set.stepDown(way);
      await expectBoundedRefusal(scene);
      set.elect();
      await expectRecovery(scene);
      expect((await clinic.client().create(clinic.queue(), customer1)).status).toBe(201);
    }
  });

  test("roll back no creation of which a replay was sent", async ({ onTestFinished }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const set = await ReplicaSet.before(database.url, onTestFinished);
    const creating = await Wire.to(set.primaryUrl);
    const repeating = await Wire.to(set.primaryUrl);
    onTestFinished(() => creating.close());
    onTestFinished(() => repeating.close());
    const first = await startScene(creating.url, database.url, onTestFinished);
    const second = await startScene(repeating.url, database.url, onTestFinished);
    const queue = first.clinic.queue();
    const clientAt = ({ url }: Scene) =>
      new Client({ url, conformance: null }, first.clinic.key(), "10.0.0.1");
    const key = crypto.randomUUID();

    // The queue gave a token before, so a creation is the only write of its request.
    await clientAt(first).create(queue, customer1);
    const entries = () =>
      withDatabase(database.url, (db) => db.collection("entries").countDocuments());
    const insert = creating.holdNext("insert entries");
    const created = clientAt(first).create(queue, customer1, key);
    await insert.reached;
    const losing = repeating.holdNext("insert entries");
    const repeated = clientAt(second).create(queue, customer1, key);
    await losing.reached;
    await set.isolatePrimary();
    insert.release();
    await expect.poll(entries).toBe(2);
    losing.release();
    expect((await repeated).status).toBe(500); // no majority has the creation that it would replay
    await set.stepDown("closing");
    expect((await created).status).toBe(500);
    expect(await entries()).toBe(1);
  });
});
