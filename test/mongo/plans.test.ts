import type { Store } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { wholeLog } from "../../server/src/rules/audit.js";
import { businessDay } from "../../server/src/rules/business-day.js";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { everyPart } from "../../server/src/store/every-part.js";
import { blockSize } from "../../server/src/store/mongo/line.js";
import { appointment, consult, front, id, linkOf, owner, token } from "../store/support/records.js";
import { customer1 } from "../support/client.js";
import { withDatabase } from "../support/mongo.js";
import { operationsOf } from "../support/operations.js";
import { ownerOf } from "../support/owner.js";
import { everyScope, wideKey } from "../support/seed.js";
import { examined, explained, scans } from "./support/explained.js";
import { type Command, nameOf, startWatched } from "./support/watched.js";

/** Returns reads with the same filters as a command, for `explain`; none if the command has no filter. */
function asReads(command: Command): Record<string, unknown>[] {
  const [name = ""] = Object.keys(command);
  const find = (filter: unknown, more = {}) => ({ find: command[name], filter, ...more });
  switch (name) {
    case "find":
      return [
        find(command.filter, {
          ...{ ...pick(command, "sort"), ...pick(command, "limit"), ...pick(command, "hint") },
        }),
      ];
    case "findAndModify":
      return [find(command.query)];
    case "update":
      return (command.updates as { q: unknown }[]).map(({ q }) => find(q));
    case "delete":
      return (command.deletes as { q: unknown }[]).map(({ q }) => find(q));
    case "aggregate":
      return [
        { aggregate: command.aggregate, pipeline: command.pipeline, cursor: {} },
        ...lookedUp(command.pipeline as Stage[]),
      ].filter(({ aggregate }) => aggregate !== 1); // no collection: it reads the time
    default:
      return [];
  }
}

interface Lookup {
  readonly from: string;
  readonly foreignField?: string;
  readonly pipeline?: readonly { readonly $match?: object }[];
}

type Stage = { readonly $lookup?: Lookup };

/** Returns each lookup of a pipeline as a separate read, with a sample value. */
function lookedUp(pipeline: readonly Stage[]): Record<string, unknown>[] {
  return pipeline.flatMap(({ $lookup }) => {
    if (!$lookup) return [];
    const { from, foreignField, pipeline = [] } = $lookup;
    const joined = foreignField === undefined ? {} : { [foreignField]: "some value" };
    const { $expr, ...matched } = Object.assign({}, ...pipeline.map(({ $match }) => $match));
    const filter = { ...joined, ...matched };
    return [{ find: from, filter }];
  });
}

function pick(command: Command, name: string): Record<string, unknown> {
  return command[name] === undefined ? {} : { [name]: command[name] };
}

describe("every query of the store", () => {
  test("uses an index", async ({ onTestFinished }) => {
    const entries = Array.from({ length: 3_000 }, (_, n) => ({
      name: `Customer ${n}`,
      status: n % 3 === 0 ? ("WAITING" as const) : ("CANCELED" as const),
    }));
    const { url, store, clinic, commands, operations } = await startWatched(onTestFinished, {
      keys: [wideKey],
      queues: [{ ref: "front", name: "Front desk", entries }],
      appointments: [{ ref: "visit", slotTime: "10:30" }, { slotTime: "11:00" }],
    });
    await withDatabase(url, async (db) => {
      for (const name of ["audit", "sign_ins", "idempotency", "keys", "businesses", "days"]) {
        await fill(db.collection(name));
      }
      await fill(db.collection("owner_sign_ins"));
      await fill(db.collection("owners"), (n) => ({
        email: `other${n}@clinic.example`,
        link: { tokenHash: `link${n}`, expiresAt: Number.MAX_SAFE_INTEGER },
        sessions: [{ tokenHash: `session${n}`, expiresAt: Number.MAX_SAFE_INTEGER }],
      }));
    });
    const client = clinic.client();
    const owner = ownerOf(store, Date.now);
    const queue = clinic.queue();
    const key = crypto.randomUUID();
    const created = await client.create(queue, customer1, key);
    await client.create(queue, customer1, key);
    await client.entry(created.data.id);
    await client.cancel(created.data.id);
    await client.get(`/v1/queues/${queue}`);
    const page = await client.get(`/v1/queues/${queue}/entries`);
    await client.get(`/v1/queues/${queue}/entries?cursor=${page.nextCursor}`);
    await client.get(`/v1/queues/${queue}/entries?status=WAITING`);
    await client.get("/v1/queues");
    await client.get("/v1/services");
    const visits = await client.get("/v1/appointments?limit=1");
    await client.get(`/v1/appointments?cursor=${visits.nextCursor}`);
    await client.get(`/v1/appointments/${clinic.appointment("visit")}`);
    await client.with(null).get("/v1/me");
    await owner.next(queue);
    await owner.createKey(clinic.slug, { name: "Another", scopes: everyScope });
    await owner.setQueue(queue, "pause");
    await owner.setAccess(clinic.slug, false);
    await store.businesses.list();
    await owner.audit(clinic.slug, 10);
    await owner.revokeKey(clinic.keyId());
    await dashboardPages(store, clinic.id, queue, clinic.appointment("visit"));
    await accountsOf(store, clinic.id);
    await offerAndSettings(store, clinic.id);
    await transferThereAndBack(store, clinic.id, queue);
    await recountOf(store, url, clinic.id, queue);
    await claimsOf(store, clinic.id);
    await store.monitoring.linesByDay([businessDay(Date.now(), "Asia/Kolkata")]);
    await store.maintenance.prune();
    for await (const _ of everyPart((after) => store.copying.dump("audit", after)));

    const notCalled = operationsOf(store).filter((name) => !operations.has(name));
    expect(notCalled.toSorted()).toEqual(withoutPlan);

    const asked = new Map(
      commands.flatMap((command) =>
        asReads(command).map((read) => [JSON.stringify([nameOf(command), shape(read)]), read]),
      ),
    );
    expect(asked.size).toBeGreaterThan(40);
    const scanning: unknown[] = [];
    await withDatabase(url, async (db) => {
      const scansFor = async (read: object) => scans(await explained(db, read));
      expect(await scansFor({ find: "entries", filter: { customerName: "nobody" } })).toBe(true);
      for (const read of asked.values()) {
        const wantsAll = read.find === "imports" && Object.keys(read.filter as object).length === 0;
        if (!wantsAll && (await scansFor(read))) scanning.push(read);
      }
    });
    expect(scanning).toEqual([]);
  });
});

describe("calling the next person", () => {
  test("reads one block of the line, for any number of waiting entries", async ({
    onTestFinished,
  }) => {
    const people = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...{ name: `Customer ${n + 1}`, priority: n + 1 === count },
      }));
    const { url, store, clinic, commands } = await startWatched(onTestFinished, {
      queues: [
        { ref: "short", name: "Short", entries: people(20) },
        { ref: "long", name: "Long", entries: people(2_000) },
      ],
    });
    const date = businessDay(Date.now(), "Asia/Kolkata");
    const businessId = clinic.id;
    await withDatabase(url, async (db) => {
      for (const [ref, order] of [
        ["short", [20, 1, 2]],
        ["long", [2_000, 1, 2]],
      ] as const) {
        for (const tokenNumber of order) {
          const before = commands.length;
          const called = await store.entries.callNext(
            businessId,
            clinic.queue(ref),
            date,
            Date.now(),
          );
          expect(called).toMatchObject({ tokenNumber });
          const reads = commands.slice(before).flatMap(asReads);
          const finds = reads.filter(({ find }) => find === "entries");
          expect(finds.length).toBeGreaterThan(1);
          for (const read of finds) {
            expect(examined(await explained(db, read))).toBeLessThanOrEqual(blockSize);
          }
          await store.copying.dump("services", null); // writes the deferred reports
        }
      }
      const whole = { find: "entries", filter: { businessId, queueId: clinic.queue("long") } };
      expect(examined(await explained(db, whole))).toBe(2_000);
    });
  });
});

/** The operations that send no query to explain. Every dump except that of the audit log reads a whole collection. */
const withoutPlan = ["close", "copying.finish", "copying.load", "ping"];

/** Performs the reads and writes of the dashboard's pages. */
async function dashboardPages(
  store: Store,
  businessId: string,
  queueId: string,
  appointmentId: string,
): Promise<void> {
  const today = businessDay(Date.now(), "Asia/Kolkata");
  await store.entries.page(businessId, queueId, today, null, { limit: 1, after: null });
  await store.boards.version(businessId, today);
  const part = { queueId, from: 2, limit: 2 };
  await store.boards.get(businessId, today, { limit: 2, part });
  const { queues } = await store.boards.get(businessId, today, { limit: 2, part: null });
  const [first, second] = queues[0]?.line ?? [];
  await store.entries.setPriority(businessId, second?.id ?? "", true);
  await store.entries.callIfNext(businessId, first?.id ?? "", Date.now());
  const [key] = await store.keys.list(businessId);
  const [service] = await store.services.list(businessId);
  const page = { limit: 1, after: null };
  const newest = await store.audit.page(businessId, wholeLog, page);
  if (newest === "cursor_unknown" || newest.next === null) throw new Error("the log is too short");
  const asked = {
    keyId: key?.id ?? "",
    status: { first: 200, last: 299 },
    pathPrefix: "/v1/",
    from: 0,
    until: Date.now(),
  };
  await store.audit.page(businessId, asked, { limit: 1, after: newest.next });
  const days = { first: "2026-01-01", last: "2026-12-31" };
  for (const queue of [null, queueId]) {
    const parts = everyPart((after) => store.statistics.entryTimes(businessId, days, queue, after));
    for await (const _ of parts);
  }
  await store.keys.change(businessId, key?.id ?? "", { name: "Renamed", allowIps: [] });
  await store.queues.change(businessId, queueId, { name: "Renamed" });
  await store.services.change(businessId, service?.id ?? "", { name: "Renamed" });
  await store.appointments.change(businessId, appointmentId, { slotTime: "12:00" });
}

/** Adds a service, a queue and an appointment, and changes the settings of the business. */
async function offerAndSettings(store: Store, businessId: string): Promise<void> {
  await store.services.add(businessId, { ...consult, businessId });
  await store.queues.add(businessId, { ...front, businessId });
  await store.appointments.add(businessId, appointment("new", { businessId }));
  await store.businesses.byDisplay("hash");
  await store.businesses.change(businessId, { dailyTokenLimit: 1_000 });
  await store.businesses.change(businessId, { sandbox: true });
  await store.admission.signInWindow("203.0.113.7");
}

/** Transfers an entry of the added queue to another queue, and back. */
async function transferThereAndBack(
  store: Store,
  businessId: string,
  queueId: string,
): Promise<void> {
  const date = businessDay(Date.now(), "Asia/Kolkata");
  await store.queues.change(businessId, queueId, { isTokenCreationPaused: false });
  await store.entries.issue(businessId, token("here", { date }));
  const request = { id: id("there"), queueId, dailyTokenLimit: null };
  const moved = await store.entries.transfer(businessId, id("here"), request, Date.now());
  const undone = await store.entries.move(businessId, id("here"), "undo", Date.now());
  expect([moved.outcome, undone.outcome]).toEqual(["transferred", "moved"]);
}

/** Marks a line as doubtful, so that the next read recounts its entries. */
async function recountOf(store: Store, url: string, businessId: string, queueId: string) {
  const date = businessDay(Date.now(), "Asia/Kolkata");
  const doubt = { $set: { [`lines.${queueId}.doubt`]: true } };
  await withDatabase(url, (db) => db.collection("days").updateOne({ businessId, date }, doubt));
  await store.queues.day(businessId, queueId, date);
}

/** Claims an idempotency key, ends its lease and releases it. */
async function claimsOf(store: Store, businessId: string): Promise<void> {
  const request = { key: "given-back", fingerprint: "body", owner: "somebody" };
  const claimed = await store.idempotency.claim(businessId, request);
  if (claimed.outcome !== "claimed") throw new Error("the key was not free");
  await store.idempotency.endLease(businessId, claimed.claim);
  await store.idempotency.release(businessId, claimed.claim);
}

type Database = Parameters<Parameters<typeof withDatabase>[1]>[0];
type Collection = ReturnType<Database["collection"]>;

/** Performs every operation on owner accounts. */
async function accountsOf(store: Store, businessId: string): Promise<void> {
  const anna = owner("anna", { businessId });
  const later = (await store.now()) + 86_400_000;
  const attempt = { subject: "203.0.113.7", email: anna.email, browser: null };
  await store.accounts.add(businessId, anna, linkOf(anna, later, "link"));
  await store.accounts.replacePasswordLink(businessId, anna.id, linkOf(anna, later, "link"));
  await store.accounts.byPasswordLink("link");
  await store.accounts.setPassword("link", "hash");
  await store.accounts.changePassword(businessId, anna.id, { from: "hash", to: "another hash" });
  await store.signIns.admit(attempt);
  const known = await store.accounts.byEmail(anna.email);
  if (!known) throw new Error("anna was added");
  await store.sessions.start(businessId, newOwnerSession(known, "session", later), "another hash");
  await store.signIns.forgive(attempt, later);
  await store.sessions.get("session");
  await store.sessions.end("session");
  await store.sessions.endAll(businessId, anna.id);
  await store.accounts.list(businessId);
  await store.accounts.remove(businessId, anna.id);
}

/** Adds enough documents of other businesses that every plan prefers an index to a scan. */
async function fill(
  collection: Collection,
  fields: (n: number) => object = () => ({}),
): Promise<void> {
  const docs = Array.from({ length: 2_000 }, (_, n) => ({
    _id: `other${n}` as never,
    businessId: `business${n % 50}`,
    ...fields(n),
  }));
  await collection.insertMany(docs);
}

/** Returns a read without its values. Reads that differ only in their values are the same query. */
function shape(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(shape);
  if (typeof read !== "object" || read === null) return typeof read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, shape(value)]));
}
