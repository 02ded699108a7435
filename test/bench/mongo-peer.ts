import { createHash, randomUUID } from "node:crypto";
import { type Entry, type EntryWithPosition, entryExamples } from "@queue-api/contract";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import mongoose from "mongoose";
import { answerQuestions, serve } from "./worker.js";

/** What a peer is to serve, and from where. */
export interface MongoPeerQuestion {
  readonly databaseUrl: string;
  /** Whether it makes the promises of our service, or only sends one command a request. */
  readonly promises: boolean;
  readonly tenants: readonly PeerTenant[];
}

export interface PeerTenant {
  readonly key: string;
  readonly queueId: string;
  readonly entries: readonly EntryWithPosition[];
}

/** Answers with the origin that it serves on. */
answerQuestions<MongoPeerQuestion, string>(async ({ databaseUrl, promises, tenants }) => {
  const client = await mongoose.mongo.MongoClient.connect(databaseUrl, {
    maxPoolSize: 50, // as ours
    writeConcern: { w: "majority" },
  });
  const make = promises ? promisingApp : bareApp;
  return serve(await make(client.db(), tenants));
});

const pageSize = 50;

/** The JSON of an entry, as it is sent, under its id and its queue's. */
type SentEntry = EntryWithPosition & { readonly _id: string; readonly queueId: string };

/**
 * What one writes with Express 5 and MongoDB's driver in an afternoon: no keys, windows, checks or audit, one command a
 * request, and Express as it comes. What it sends lies ready in its one collection.
 */
async function bareApp(db: mongoose.mongo.Db, tenants: readonly PeerTenant[]): Promise<Express> {
  const stored = db.collection<SentEntry>("bare_entries");
  await stored.createIndex({ queueId: 1, tokenNumber: 1 });
  for (const { queueId, entries } of tenants) {
    const all = entries.map((entry) => ({ _id: entry.id, queueId, ...entry }));
    if (all.length > 0) await stored.insertMany(all);
  }
  const app = express();
  let number = 0;

  app.get("/v1/entries/:entryId", async (req, res) => {
    const found = { projection: { _id: 0, queueId: 0 } };
    const data = await stored.findOne({ _id: req.params.entryId }, found);
    if (data) res.json({ data });
    else res.sendStatus(404);
  });

  app.get("/v1/queues/:queueId/entries", async (req, res) => {
    const { queueId } = req.params;
    const found = stored.find({ queueId }).project<Entry>({ _id: 0, queueId: 0, position: 0 });
    const page = await found
      .sort({ tokenNumber: 1 })
      .limit(pageSize + 1)
      .toArray();
    res.json(pageOf(page));
  });

  app.post("/v1/queues/:queueId/entries", express.json(), async (req, res) => {
    const { name, phone, serviceId = null } = req.body;
    const tokenNumber = ++number;
    const data = {
      ...entryExamples.waiting,
      ...{ id: randomUUID(), token: `A${tokenNumber}`, tokenSeries: "A", tokenNumber },
      ...{ status: "WAITING" as const, priority: false, serviceId, customer: { name, phone } },
      ...{ issuedAt: new Date().toISOString(), startedAt: null, completedAt: null },
      ...{ canceledAt: null, predictedWaitMinutes: null, position: tokenNumber },
    };
    await stored.insertOne({ _id: data.id, queueId: req.params.queueId, ...data });
    res.status(201).json({ data });
  });

  return app;
}

function pageOf(found: readonly Entry[]) {
  const data = found.slice(0, pageSize);
  return { data, nextCursor: found.length > pageSize ? data.at(-1)?.id : null };
}

interface Window {
  start: number;
  count: number;
}

interface BusinessDocument {
  _id: string;
  /** SHA-256 of the secret of the key, in hex. */
  secretHash: string;
  queueId: string;
  /** Read before each creation. */
  isPaused: boolean;
  dailyLimit: number | null;
  requests: Window;
  writes: Window;
}

/** An entry with all that its creation needs: number, place in the day, idempotency key with its receipt, audit. */
interface EntryDocument {
  _id: string;
  businessId: string;
  queueId: string;
  date: string;
  tokenNumber: number;
  placeInDay: number;
  status: Entry["status"];
  priority: boolean;
  work: number;
  sent: Omit<Entry, "predictedWaitMinutes">;
  key?: string;
  fingerprint?: string;
  receipt?: string;
  audits: { at: number }[];
  /** When its key or its audit row expires. */
  expiresAt?: number;
  revision: number;
}

/** The windows are counted, and never refuse. */
const limit = 1_000_000;
const date = "2026-11-23";
const usualWork = 12;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * What a careful person writes by hand with the same promises as our store: a key checked by its
 * hash, addresses barred after failed sign-ins, windows charged by an update that matches what was read, positions counted in the line, numbers and idempotency
 * keys by unique indexes, an audit row for each request. What waits together goes together, as in our store.
 */
async function promisingApp(db: mongoose.mongo.Db, tenants: readonly PeerTenant[]) {
  const businesses = db.collection<BusinessDocument>("businesses");
  const stored = db.collection<EntryDocument>("entries");
  const audit = db.collection("audit");
  const signIns = db.collection<{ _id: string; count: number }>("sign_ins");
  await stored.createIndexes([
    { key: { businessId: 1, queueId: 1, date: 1, tokenNumber: 1 }, name: "number", unique: true },
    { key: { businessId: 1, date: 1, placeInDay: 1 }, name: "day", unique: true },
    {
      key: { businessId: 1, queueId: 1, date: 1, status: 1, priority: 1, tokenNumber: 1, work: 1 },
      name: "line",
    },
    {
      ...{ key: { businessId: 1, key: 1 }, name: "key", unique: true },
      partialFilterExpression: { key: { $exists: true } },
    },
    {
      ...{ key: { businessId: 1, "audits.at": 1 }, name: "log" },
      partialFilterExpression: { "audits.at": { $exists: true } },
    },
    {
      ...{ key: { expiresAt: 1 }, name: "end" },
      partialFilterExpression: { expiresAt: { $exists: true } },
    },
  ]);
  const known = new Map<string, BusinessDocument>();
  for (const { key, queueId, entries } of tenants) {
    const [, , keyId = "", secret = ""] = key.split("_");
    const window = { start: 0, count: 0 };
    const settings = { isPaused: false, dailyLimit: null };
    const business = { _id: keyId, secretHash: hashOf(secret), queueId, ...settings };
    const document = { ...business, requests: window, writes: window };
    known.set(keyId, document);
    await businesses.insertOne(document);
    const all = entries.map(({ position: _, predictedWaitMinutes: __, ...sent }, at) => ({
      ...{ _id: sent.id, businessId: keyId, queueId, date, placeInDay: at + 1, work: usualWork },
      ...{ tokenNumber: sent.tokenNumber, status: sent.status, priority: sent.priority },
      ...{ sent, audits: [], revision: 0 },
    }));
    if (all.length > 0) await stored.insertMany(all);
  }
  const audits: object[] = [];
  setInterval(() => {
    const some = audits.splice(0);
    if (some.length > 0) void audit.insertMany(some);
  }, 500);

  /** Charges the windows of a key: one update for all requests that wait, which matches what was read. */
  const charge = together(async (keyId: string, writes: readonly boolean[]) => {
    for (;;) {
      const before = known.get(keyId) ?? (await businesses.findOne({ _id: keyId }));
      if (!before) throw new Error("unknown business");
      const now = Date.now();
      const next = ({ start, count }: Window, more: number) =>
        now - start < 60_000 ? { start, count: count + more } : { start: now, count: more };
      const after = {
        requests: next(before.requests, writes.length),
        writes: next(before.writes, writes.filter(Boolean).length),
      };
      const { requests, writes: written } = before;
      const seen = { _id: keyId, requests, writes: written };
      const { matchedCount } = await businesses.updateOne(seen, { $set: after });
      if (matchedCount === 1) {
        const counted = { ...before, ...after };
        known.set(keyId, counted);
        return writes.map(() => counted);
      }
      known.delete(keyId);
    }
  });

  /** How many sign-ins failed from an address: one read for all requests that wait. */
  const failuresOf = together(async (_name: string, addresses: readonly string[]) => {
    const found = await signIns.find({ _id: { $in: [...new Set(addresses)] } }).toArray();
    const counts = new Map(found.map(({ _id, count }) => [_id, count]));
    return addresses.map((address) => counts.get(address) ?? 0);
  });

  const admitted: RequestHandler = async (req, res, next) => {
    const [, , keyId = "", secret = ""] = (req.headers.authorization ?? "").split("_");
    if ((await failuresOf("", req.ip ?? "")) >= 30) return void res.sendStatus(429);
    if (known.get(keyId)?.secretHash !== hashOf(secret)) return void res.sendStatus(401);
    const business = await charge(keyId, req.method === "POST");
    res.locals.business = business;
    const left = `${limit - business.requests.count}`;
    res.set({
      "RateLimit-Limit": `${limit}`,
      "RateLimit-Remaining": left,
      "RateLimit-Reset": "60",
    });
    res.set({ "X-Request-Id": randomUUID(), "API-Version": "v1", "Cache-Control": "no-store" });
    next();
  };
  const businessOf = (res: Response) => res.locals.business as BusinessDocument;
  const auditOf = (req: Request, res: Response, status: number) => ({
    ...{ businessId: businessOf(res)._id, at: Date.now(), method: req.method, path: req.path },
    ...{ status, ip: req.ip, requestId: res.get("X-Request-Id") },
  });

  /** Everyone in a queue, in one command by the index `line`: those who wait, in the order of their calls, and how many are served. */
  const lineOf = async (businessId: string, queueId: string) => {
    const all = await stored
      .find({ businessId, queueId, date, status: { $in: ["WAITING", "IN_SERVICE"] } })
      .project<InLine>({ status: 1, priority: 1, tokenNumber: 1, work: 1 })
      .toArray();
    const waiting = all.filter(({ status }) => status === "WAITING");
    waiting.sort(
      (a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber,
    );
    return { waiting, served: all.length - waiting.length };
  };

  /** What a creation needs of a day: counted in one command, by the index `line`. */
  const readDay = async (businessId: string, queueId: string): Promise<Read> => {
    const groups = await stored
      .aggregate<DayGroup>([
        { $match: { businessId, date } },
        {
          $group: {
            _id: { queueId: "$queueId", status: "$status", work: "$work" },
            people: { $sum: 1 },
            last: { $max: "$tokenNumber" },
            place: { $max: "$placeInDay" },
          },
        },
      ])
      .toArray();
    const own = groups.filter(({ _id }) => _id.queueId === queueId);
    const sum = (status: Entry["status"], of: (group: DayGroup) => number) =>
      own.reduce((total, group) => total + (group._id.status === status ? of(group) : 0), 0);
    return {
      last: Math.max(0, ...own.map(({ last }) => last)),
      place: Math.max(0, ...groups.map(({ place }) => place)),
      people: sum("WAITING", ({ people }) => people),
      work: sum("WAITING", ({ people, _id }) => people * _id.work),
      served: sum("IN_SERVICE", ({ people }) => people),
    };
  };

  /** Issues the tokens of one business that wait: one read, one ordered insert. The loser of a race reads again. */
  const issue = together(async (businessId: string, asked: readonly Creation[]) => {
    const results: (string | "reused" | "refused")[] = [];
    let left = asked;
    while (left.length > 0) {
      const queueId = left[0]?.queueId ?? "";
      const [business, read] = await Promise.all([
        businesses.findOne({ _id: businessId }),
        readDay(businessId, queueId),
      ]);
      if (!business || business.isPaused || read.place >= (business.dailyLimit ?? Infinity)) {
        return [...results, ...left.map(() => "refused" as const)];
      }
      const documents = left.map((one, at) => entryFor(businessId, one, at, read));
      const inserted = await stored.insertMany(documents).then(
        () => documents.length,
        (error: mongoose.mongo.MongoBulkWriteError) => {
          if (error.code !== 11000) throw error;
          return error.result.insertedCount;
        },
      );
      results.push(...documents.slice(0, inserted).map(({ receipt = "" }) => receipt));
      left = left.slice(inserted);
      const key = left[0]?.key;
      const earlier =
        key && inserted < documents.length && (await stored.findOne({ businessId, key }));
      if (earlier) {
        results.push(
          earlier.fingerprint === left[0]?.fingerprint ? (earlier.receipt ?? "") : "reused",
        );
        left = left.slice(1);
      }
    }
    return results;
  });

  const app = express();
  app.disable("etag").disable("x-powered-by");
  app.use(admitted);

  app.get("/v1/entries/:entryId", async (req, res) => {
    const businessId = businessOf(res)._id;
    const found = await stored.findOne({ _id: req.params.entryId });
    if (found?.businessId !== businessId) return void res.sendStatus(404);
    const { waiting, served } = await lineOf(businessId, found.queueId);
    const at = waiting.findIndex(({ _id }) => _id === found._id);
    const position = at < 0 ? null : at + 1;
    const predictedWaitMinutes = at < 0 ? null : waitOf(workOf(waiting.slice(0, at)), served);
    audits.push(auditOf(req, res, 200));
    res.json({ data: { ...found.sent, predictedWaitMinutes, position } });
  });

  app.get("/v1/queues/:queueId/entries", async (req, res) => {
    const businessId = businessOf(res)._id;
    const here = { businessId, queueId: req.params.queueId, date };
    const [found, { waiting, served }] = await Promise.all([
      stored
        .find(here)
        .sort({ tokenNumber: 1 })
        .limit(pageSize + 1)
        .toArray(),
      lineOf(businessId, here.queueId),
    ]);
    let ahead = 0;
    const waits = new Map<string, number>();
    for (const { _id, work } of waiting) {
      waits.set(_id, waitOf(ahead, served));
      ahead += work;
    }
    audits.push(auditOf(req, res, 200));
    const sent = found.map((one) => ({
      ...one.sent,
      predictedWaitMinutes: waits.get(one._id) ?? null,
    }));
    res.json(pageOf(sent));
  });

  app.post("/v1/queues/:queueId/entries", express.json({ limit: 32_768 }), async (req, res) => {
    const { name, phone, serviceId = null } = req.body;
    if (typeof name !== "string" || typeof phone !== "string") return void res.sendStatus(400);
    const key = req.get("Idempotency-Key");
    const creation = {
      ...{ queueId: req.params.queueId, name, phone: phone.replaceAll(/\D/g, ""), serviceId },
      ...{ key, fingerprint: hashOf(req.path + JSON.stringify(req.body)) },
      audit: auditOf(req, res, 201),
    };
    const receipt = await issue(businessOf(res)._id, creation);
    if (receipt === "reused") return void res.sendStatus(422);
    if (receipt === "refused") return void res.sendStatus(409);
    res.status(201).type("json").send(receipt);
  });

  return app;
}

interface Creation {
  readonly queueId: string;
  readonly name: string;
  readonly phone: string;
  readonly serviceId: string | null;
  readonly key: string | undefined;
  readonly fingerprint: string;
  readonly audit: { readonly at: number };
}

interface DayGroup {
  readonly _id: {
    readonly queueId: string;
    readonly status: Entry["status"];
    readonly work: number;
  };
  readonly people: number;
  readonly last: number;
  readonly place: number;
}

interface Read {
  /** The last number of the queue, and the last place of the day. */
  readonly last: number;
  readonly place: number;
  /** How many wait, with how many minutes of work, and how many are served. */
  readonly people: number;
  readonly work: number;
  readonly served: number;
}

/** The entry for a creation, so many places behind what was read. */
function entryFor(businessId: string, one: Creation, at: number, read: Read): EntryDocument {
  const { queueId, name, phone, serviceId, key, fingerprint, audit } = one;
  const tokenNumber = read.last + at + 1;
  const { predictedWaitMinutes: _, ...example } = entryExamples.waiting;
  const sent = {
    ...example,
    ...{ id: randomUUID(), token: `A${tokenNumber}`, tokenSeries: "A", tokenNumber },
    ...{ status: "WAITING" as const, priority: false, serviceId, customer: { name, phone } },
    ...{ issuedAt: new Date().toISOString(), startedAt: null, completedAt: null, canceledAt: null },
  };
  const predictedWaitMinutes = waitOf(read.work + at * usualWork, read.served);
  const position = read.people + at + 1;
  return {
    ...{ _id: sent.id, businessId, queueId, date, tokenNumber, status: "WAITING" },
    ...{ placeInDay: read.place + at + 1, priority: false, work: usualWork },
    ...{ sent, audits: [audit], revision: 0, fingerprint, expiresAt: audit.at + 86_400_000 },
    ...(key !== undefined && { key }),
    receipt: JSON.stringify({ data: { ...sent, predictedWaitMinutes, position } }),
  };
}

type InLine = Pick<EntryDocument, "_id" | "status" | "priority" | "tokenNumber" | "work">;

const workOf = (line: readonly InLine[]) => line.reduce((sum, { work }) => sum + work, 0);
const waitOf = (work: number, served: number) => Math.ceil(work / Math.max(1, served));

/** Does the work of all who wait for one name in one step, and one step at a time. */
function together<Item, Result>(
  work: (name: string, items: readonly Item[]) => Promise<readonly Result[]>,
): (name: string, item: Item) => Promise<Result> {
  type Waiting = {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  };
  const queues = new Map<string, Waiting[]>();
  const drain = async (name: string) => {
    for (let batch = queues.get(name) ?? []; batch.length > 0; batch = queues.get(name) ?? []) {
      queues.set(name, []);
      try {
        const results = await work(
          name,
          batch.map(({ item }) => item),
        );
        for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(name);
  };
  return (name, item) =>
    new Promise((resolve, reject) => {
      const one = { item, resolve, reject };
      const queue = queues.get(name);
      if (queue) return void queue.push(one);
      queues.set(name, [one]);
      setImmediate(() => drain(name));
    });
}
