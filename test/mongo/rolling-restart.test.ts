import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { customer1 } from "../support/client.js";
import { Clinic } from "../support/clinic.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { hasNginx, nginx } from "../support/nginx.js";
import { ownerByCommand } from "../support/owner.js";
import { type ServiceProcess, serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";

type AtEnd = (end: OnTestFinishedHandler) => void;

/** Restarts as the documentation describes: SIGTERM, wait for the exit, start on the same port, wait until it is ready. */
async function restarted(
  instance: ServiceProcess,
  databaseUrl: string,
  atEnd: AtEnd,
): Promise<ServiceProcess> {
  instance.signal("SIGTERM");
  expect(await instance.exited).toEqual({ code: 0, signal: null });
  const next = await serve(databaseUrl, atEnd, { PORT: new URL(instance.url).port });
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
  return next;
}

describe.skipIf(!hasNginx)("two instances behind nginx", () => {
  test("can be restarted one after the other without a failed request, even without retries", async ({
    onTestFinished,
  }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const seed = clinicSeed({ keys: [wideKey] });
    const seeded = await ownerByCommand(database.url).seed(seed);
    const start = () => serve(database.url, onTestFinished);
    const instances = await Promise.all([start(), start()]);
    const hosts = instances.map(({ url }) => new URL(url).host);
    const url = await nginx(hosts, onTestFinished);
    const clinic = new Clinic({ url, conformance: null }, seed.slug, seeded, "10.0.0.1");

    let stopped = false;
    const statuses: number[] = [];
    const numbers: number[] = [];
    const sender = async () => {
      while (!stopped) {
        const { status, data } = await clinic.client().create(clinic.queue(), customer1);
        statuses.push(status);
        numbers.push(data.tokenNumber);
      }
    };
    const sending = Promise.all([sender(), sender(), sender()]);
    for (const instance of instances) await restarted(instance, database.url, onTestFinished);
    stopped = true;
    await sending;

    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(new Set(numbers).size).toBe(numbers.length);
    const kept = await withDatabase(database.url, (db) =>
      db.collection("entries").countDocuments(),
    );
    expect(kept).toBe(numbers.length);
  });
});
