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

const ways = ["responding", "closing"] as const;

describe("elections of another primary", () => {
  test("lose nothing, do nothing twice, and roll back only unacknowledged writes", async ({
    onTestFinished,
  }) => {
    const scene = await onASet(onTestFinished);
    const { set } = scene;
    const workload = startWorkload(scene.clinic, scene.url, scene.databaseUrl, scene.owner);
    for (let round = 0; round < 6; round++) {
      await workload.acknowledgedMore(20);
      if (round > 2) await set.isolatePrimary();
      await set.writtenMore(round > 2 ? 3 : 1);
      await set.stepDown(round % 2 === 0 ? "responding" : "closing");
      set.elect();
    }
    await workload.acknowledgedMore(20);
    expect(set.repeated).toBeGreaterThan(0);
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
