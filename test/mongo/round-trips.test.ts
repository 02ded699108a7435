import { describe, expect, test } from "vitest";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { lanes } from "../../server/src/store/mongo/coalescer.js";
import { reportComment } from "../../server/src/store/mongo/writer.js";
import { linkOf, owner } from "../store/support/records.js";
import { customer1 } from "../support/client.js";
import { wideKey } from "../support/seed.js";
import { nameOf, startWatched } from "./support/watched.js";

const times = (commands: readonly string[], name: string) =>
  commands.filter((other) => other === name).length;

describe("round trips to the database", () => {
  test("are at most two for an authenticated read", async ({ onTestFinished }) => {
    const { clinic, during } = await startWatched(onTestFinished, {
      keys: [wideKey],
      appointments: [{ ref: "visit", slotTime: "10:30" }],
    });
    const client = clinic.client();
    const queue = clinic.queue();
    const created = await client.create(queue, customer1);
    await client.create(queue, customer1);
    const page = await client.get(`/v1/queues/${queue}/entries?limit=1`);

    const reads: Record<string, string[]> = {
      "/v1/me": [],
      "/v1/services": ["find services"],
      "/v1/queues": ["find queues"],
      [`/v1/queues/${queue}`]: ["aggregate days"],
      [`/v1/queues/${queue}/entries`]: ["aggregate days"],
      [`/v1/queues/${queue}/entries?status=WAITING`]: ["aggregate days"],
      [`/v1/queues/${queue}/entries?limit=1&cursor=${page.nextCursor}`]: ["aggregate days"],
      [`/v1/entries/${created.data.id}`]: ["aggregate entries"],
      "/v1/appointments": ["find appointments"],
      [`/v1/appointments/${clinic.appointment("visit")}`]: ["find appointments"],
    };
    for (const [path, reading] of Object.entries(reads)) {
      const commands = await during(() => client.get(path));
      expect(commands, path).toEqual(["findAndModify keys", ...reading]);
    }
  });

  test("are a few small ones for repeated reads by many businesses", async ({ onTestFinished }) => {
    const { clinic, store, gate, during, addClinics } = await startWatched(onTestFinished, {
      keys: [wideKey],
    });
    const all = [clinic, ...(await addClinics(31))];
    const paths: string[] = [];
    for (const one of all) {
      const { data } = await one.client().create(one.queue(), customer1);
      paths.push(`/v1/entries/${data.id}`);
    }
    await store.copying.dump("services", null); // writes the deferred reports
    const readAll = () => Promise.all(all.map((one, at) => one.client().get(paths[at] ?? "")));
    await readAll();
    gate.close();
    const together = readAll();
    await gate.reached(32);
    const commands = await during(() => {
      gate.open();
      return together;
    });
    // At most one request in each lane is charged alone: the first one.
    expect(times(commands, "findAndModify keys")).toBeLessThanOrEqual(lanes);
    const others = commands.filter((name) => name !== "findAndModify keys");
    expect(new Set(others)).toEqual(new Set(["update keys", "find keys", "find days"]));
    expect(commands.length).toBeLessThan(10); // separately, each read takes two
  });

  test("are shared by concurrent creations of all businesses, and so are their reports", async ({
    onTestFinished,
  }) => {
    const { clinic, store, gate, commands, during, addClinics } = await startWatched(
      onTestFinished,
      { keys: [wideKey] },
    );
    const all = [clinic, ...(await addClinics(31))];
    const createAll = () =>
      Promise.all(
        all.map((one) => one.client().create(one.queue(), customer1, crypto.randomUUID())),
      );
    await createAll(); // the first creation of a day creates its document
    await store.copying.dump("services", null); // writes the deferred reports
    gate.close();
    const before = commands.length;
    const together = createAll();
    await gate.reached(32);
    const inFront = await during(() => {
      gate.open();
      return together;
    });
    expect(times(inFront, "findAndModify keys")).toBeLessThanOrEqual(lanes);
    expect(times(inFront, "update keys") + times(inFront, "find keys")).toBeLessThan(5);
    expect(times(inFront, "findAndModify days")).toBeLessThanOrEqual(lanes);
    expect(times(inFront, "update days") + times(inFront, "find days")).toBeLessThan(5);
    expect(times(inFront, "insert idempotency")).toBeLessThan(5);
    expect(times(inFront, "insert entries")).toBeLessThan(5);
    await store.copying.dump("services", null);
    const reports = commands.slice(before).filter(({ comment }) => comment === reportComment);
    expect(reports.length).toBeLessThan(10);
  });

  test("are four for a creation with an idempotency key, and three without", async ({
    onTestFinished,
  }) => {
    const { clinic, store, commands, during } = await startWatched(onTestFinished, {
      keys: [wideKey],
      dailyTokenLimit: 1_000,
    });
    const client = clinic.client();
    const queue = clinic.queue();
    const body = { ...customer1, serviceId: clinic.service() };
    await client.create(queue, body); // the first creation of a day creates its document

    expect(await during(() => client.create(queue, body))).toEqual([
      "findAndModify keys",
      "findAndModify days",
      "insert entries",
    ]);
    const key = crypto.randomUUID();
    expect(await during(() => client.create(queue, body, key))).toEqual([
      "findAndModify keys",
      "insert idempotency",
      "findAndModify days",
      "insert entries",
    ]);
    const replay = await during(() => client.create(queue, body, key));
    expect(replay.length).toBeLessThanOrEqual(4);
    await store.copying.dump("services", null); // writes the deferred reports
    expect(commands.map(nameOf)).not.toContain("update idempotency"); // the receipt is stored only in the entry
  });

  test("are two for concurrent reads of the versions of all boards", async ({ onTestFinished }) => {
    const { clinic, store, during, addClinics } = await startWatched(onTestFinished);
    const all = [clinic, ...(await addClinics(9))];
    const date = new Date(await store.now()).toISOString().slice(0, 10);
    let versions: string[] = [];
    const commands = await during(async () => {
      versions = await Promise.all(all.map(({ id }) => store.boards.version(id, date)));
    });
    expect(commands.toSorted()).toEqual(["find businesses", "find days"]);
    expect(versions).not.toContain("none");
  });

  test("are one to identify a signed-in owner", async ({ onTestFinished }) => {
    const { store, clinic, during } = await startWatched(onTestFinished);
    const anna = owner("anna", { businessId: clinic.id, passwordHash: "hash" });
    const now = await store.now();
    await store.accounts.add(clinic.id, anna, linkOf(anna, now));
    await store.sessions.start(clinic.id, newOwnerSession(anna, "session", now), "hash");
    let found: unknown;
    const commands = await during(async () => {
      found = await store.sessions.get("session");
    });
    expect(commands).toEqual(["aggregate owners"]);
    expect(found).toMatchObject({ owner: anna, business: { id: clinic.id } });
  });

  test("are few for many concurrent requests with one key", async ({ onTestFinished }) => {
    const { clinic, gate, during } = await startWatched(onTestFinished, { keys: [wideKey] });
    const client = clinic.client();
    const create = () => client.create(clinic.queue(), customer1, crypto.randomUUID());
    await create();
    gate.close();
    const together = Array.from({ length: 64 }, create);
    await gate.reached(64);
    const commands = await during(() => {
      gate.open();
      return Promise.all(together);
    });
    expect(commands.length).toBeLessThan(4 * 4); // separately, each creation takes four
  });
});
