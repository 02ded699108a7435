import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { customer1 } from "../support/client.js";
import { Clinic } from "../support/clinic.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { ownerByCommand } from "../support/owner.js";
import { serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import { Wire } from "./support/wire.js";

/** Starts two instances. A test can delay the commands of the first one to the database. */
async function twoInstances(atEnd: (end: OnTestFinishedHandler) => void) {
  const database = mongoDatabase();
  atEnd(database.remove);
  const wire = await Wire.to(database.url, { socketTimeoutMS: 60_000 });
  atEnd(() => wire.close());
  const owner = ownerByCommand(database.url);
  const seed = clinicSeed({ keys: [wideKey] });
  const seeded = await owner.seed(seed);
  const first = await serve(wire.url, atEnd);
  const second = await serve(database.url, atEnd);
  const clinicAt = (url: string) =>
    new Clinic({ url, conformance: null }, seed.slug, seeded, "10.0.0.1");
  return { wire, databaseUrl: database.url, first, second, clinicAt, owner };
}

/** Ends every lease, as if its 30 seconds had passed. */
function endLeases(databaseUrl: string): Promise<unknown> {
  return withDatabase(databaseUrl, (db) =>
    db.collection("idempotency").updateMany({}, { $set: { leaseUntil: 0 } }),
  );
}

function entriesIn(databaseUrl: string): Promise<number> {
  return withDatabase(databaseUrl, (db) => db.collection("entries").countDocuments());
}

describe("an instance that stops between its claim and its response", () => {
  test("because it is killed: another one takes over after the lease, and one entry exists", async ({
    onTestFinished,
  }) => {
    const { wire, databaseUrl, first, second, clinicAt } = await twoInstances(onTestFinished);
    const queue = clinicAt(first.url).queue();
    const key = crypto.randomUUID();
    const held = wire.holdNext("insert entries");
    const lost = clinicAt(first.url).client().create(queue, customer1, key);
    const ended = expect(lost).rejects.toThrow(TypeError);
    await held.reached;
    first.signal("SIGKILL");
    await ended;

    const client = clinicAt(second.url).client();
    const early = await client.create(queue, customer1, key);
    expect(early.status).toBe(409);
    expect(early.error.code).toBe("request_in_progress");
    await endLeases(databaseUrl);
    const taken = await client.create(queue, customer1, key);
    expect(taken.status).toBe(201);
    expect(await entriesIn(databaseUrl)).toBe(1);
    const replay = await client.create(queue, customer1, key);
    expect(replay.text).toBe(taken.text);

    // The line still counts the token of the killed instance, until that instance has been silent for a while.
    const place = async () => (await client.entry(taken.data.id)).data.position;
    await expect.poll(place, { interval: 500 }).toBe(1);
  });

  test("because it is frozen: after its lease it returns the entry that the other one created", async ({
    onTestFinished,
  }) => {
    const { wire, databaseUrl, first, second, clinicAt } = await twoInstances(onTestFinished);
    const queue = clinicAt(first.url).queue();
    const key = crypto.randomUUID();
    const held = wire.holdNext("insert entries");
    const slow = clinicAt(first.url).client().create(queue, customer1, key);
    slow.catch(() => {}); // in case the test fails before it awaits this
    await held.reached;
    first.signal("SIGSTOP");

    await endLeases(databaseUrl);
    const taken = await clinicAt(second.url).client().create(queue, customer1, key);
    expect(taken.status).toBe(201);
    held.release();
    first.signal("SIGCONT");

    const late = await slow;
    expect(late.status).toBe(201);
    expect(late.text).toBe(taken.text);
    expect(late.header("Idempotent-Replay")).toBe("true");
    expect(await entriesIn(databaseUrl)).toBe(1);
    const day = await clinicAt(second.url).client().get<{ counts: object }>(`/v1/queues/${queue}`);
    expect(day.data.counts).toMatchObject({ waiting: 1 });
  });

  test("after it sent the entry: the other one replays the entry", async ({ onTestFinished }) => {
    const { wire, databaseUrl, first, second, clinicAt } = await twoInstances(onTestFinished);
    const queue = clinicAt(first.url).queue();
    const key = crypto.randomUUID();
    const held = wire.holdNext("insert entries");
    const slow = clinicAt(first.url).client().create(queue, customer1, key);
    slow.catch(() => {}); // in case the test fails before it awaits this
    await held.reached;
    first.signal("SIGSTOP");
    held.release();
    await expect.poll(() => entriesIn(databaseUrl)).toBe(1);

    await endLeases(databaseUrl);
    const taken = await clinicAt(second.url).client().create(queue, customer1, key);
    expect(taken.status).toBe(201);
    expect(taken.header("Idempotent-Replay")).toBe("true");
    first.signal("SIGCONT");
    expect((await slow).text).toBe(taken.text);
    expect(await entriesIn(databaseUrl)).toBe(1);
  });

  test("while a retry is refused: the next retry finds the entry that arrived late", async ({
    onTestFinished,
  }) => {
    const { wire, databaseUrl, first, second, clinicAt, owner } =
      await twoInstances(onTestFinished);
    const clinic = clinicAt(second.url);
    const queue = clinic.queue();
    const key = crypto.randomUUID();
    const held = wire.holdNext("insert entries");
    const slow = clinicAt(first.url).client().create(queue, customer1, key);
    slow.catch(() => {}); // in case the test fails before it awaits this
    await held.reached;

    await endLeases(databaseUrl);
    await owner.setQueue(queue, "pause");
    const refused = await clinic.client().create(queue, customer1, key);
    expect(refused.error.code).toBe("queue_paused");
    await owner.setQueue(queue, "resume");
    held.release();
    await slow;
    expect(await entriesIn(databaseUrl)).toBe(1);

    const taken = await clinic.client().create(queue, customer1, key);
    expect(taken.status).toBe(201);
    expect(await entriesIn(databaseUrl)).toBe(1);
  });
});
