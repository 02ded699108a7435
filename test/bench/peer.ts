import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type EntryWithPosition, type Me, routes } from "@queue-api/contract";
import { createExpressEndpoints, initServer } from "@ts-rest/express";
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from "express";
import helmet from "helmet";
import type {
  PeerAudit,
  PeerDatabase,
  PeerEntry,
  PeerGroup,
  PeerKey,
  PeerQueue,
  PeerService,
  PeerWindows,
} from "./peer-database.js";
import { mongoDatabase } from "./peer-mongo.js";
import { sqliteDatabase } from "./peer-sqlite.js";
import { answerQuestions } from "./worker.js";

/*
 * The service as a careful person writes it by hand, on Express, ts-rest and the same database, with the same promises:
 * keys by their hash, barred addresses, both windows charged by an update that matches what was read, validation by the
 * contract, numbers and idempotency keys by unique indexes, positions and waits that are computed, an audit row for each
 * request, and creations that survive a power cut. It shares nothing between two requests.
 */

const minuteMs = 60_000;
const mostFailures = 30;
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const { list, get, create } = routes.entries;
const own = { me: routes.me.get, list, get, create };

class Refusal extends Error {
  readonly status: number;
  readonly more: object;

  constructor(status: number, code: string, more: object = {}) {
    super(code);
    this.status = status;
    this.more = more;
  }
}

const keyOf = (res: Response) => res.locals.key as PeerKey;
const meOf = (res: Response) => res.locals.me as Me;

/** Throws a refusal unless the request may go on. False if another request charged the windows first. */
async function admit(database: PeerDatabase, res: Response): Promise<boolean> {
  const { ip = "", method, headers } = res.req;
  const now = Date.now();
  const [, keyId = "", secret = ""] =
    /^Bearer svc_live_(\w+?)_(\w+)$/.exec(headers.authorization ?? "") ?? [];
  const ids = { ofKey: `key ${keyId}`, ofAddress: `address ${ip}` };
  const [key, ofKey, ofAddress] = await Promise.all([
    database.find("keys", { id: keyId }),
    database.find("windows", { id: ids.ofKey }),
    database.find("windows", { id: ids.ofAddress }),
  ]);
  const charge = (before: PeerWindows | null, after: PeerWindows) =>
    before ? database.charge(before, after) : database.insert("windows", after);
  const current = (before: PeerWindows | null, id: string, length: number) =>
    before && now < before.startedAt + length
      ? before
      : { id, startedAt: now, requests: 0, writes: 0 };

  const failed = current(ofAddress, ids.ofAddress, 10 * minuteMs);
  if (failed.requests >= mostFailures) throw new Refusal(429, "too_many_failed_attempts");
  const kept = Buffer.from(key?.secretHash ?? "0".repeat(64));
  const isSame = timingSafeEqual(kept, Buffer.from(hashOf(secret)));
  if (!isSame || !key || key.revokedAt !== null || (key.expiresAt ?? Infinity) <= now) {
    const isCharged = await charge(ofAddress, { ...failed, requests: failed.requests + 1 });
    if (isCharged) throw new Refusal(401, "unauthorized");
    return false;
  }
  if (!key.apiAccess) throw new Refusal(403, "api_access_disabled");
  if (key.allowIps !== "" && !key.allowIps.split(" ").includes(ip)) {
    throw new Refusal(403, "ip_not_allowed");
  }
  const me: Me = JSON.parse(key.me);
  const { requestsPerMinute, writesPerMinute } = me.limits;
  const used = current(ofKey, ids.ofKey, minuteMs);
  const [requests, writes] = [used.requests + 1, used.writes + Number(method === "POST")];
  if (requests > requestsPerMinute || writes > writesPerMinute) {
    throw new Refusal(429, "rate_limited");
  }
  if (!(await charge(ofKey, { ...used, requests, writes }))) return false;
  Object.assign(res.locals, { key, me });
  res.setHeader("RateLimit-Limit", requestsPerMinute);
  res.setHeader("RateLimit-Remaining", requestsPerMinute - requests);
  res.setHeader("RateLimit-Reset", Math.ceil((used.startedAt + minuteMs - now) / 1000));
  return true;
}

function auditRow(res: Response, status: number): PeerAudit {
  const { id: keyId, businessId } = keyOf(res);
  const { method, path, ip = "" } = res.req;
  return { id: res.locals.requestId, businessId, keyId, at: Date.now(), method, path, status, ip };
}

function peerApp(database: PeerDatabase) {
  const admission: RequestHandler = async (_req, res, next) => {
    while (!(await admit(database, res))) {}
    res.once("finish", () => {
      if (!res.locals.isAudited) void database.insert("audit", auditRow(res, res.statusCode));
    });
    next();
  };

  /** The places of entries in token order, of which all who wait between two are among them. */
  const placed = async (entries: readonly PeerEntry[]): Promise<EntryWithPosition[]> => {
    const first = entries.find(({ status }) => status === "WAITING");
    const groups = first ? await database.groups(first, first.tokenNumber) : [];
    const line = { first: aheadIn(groups, 1), others: aheadIn(groups, 0) };
    return entries.map((entry) => {
      const kept = { ...JSON.parse(entry.resource), status: entry.status };
      if (entry.status !== "WAITING")
        return { ...kept, position: null, predictedWaitMinutes: null };
      const ahead = line[entry.priority ? "first" : "others"];
      const position = ahead.people + 1;
      const predictedWaitMinutes = waitOf(ahead, groups);
      ahead.people += 1;
      ahead.known += entry.workMinutes ?? 0;
      ahead.unknown += Number(entry.workMinutes === null);
      return { ...kept, position, predictedWaitMinutes };
    });
  };

  /** What a creation stores, or the entry that has its idempotency key. Null if another request took the number. */
  const issue = async (
    res: Response,
    queueId: string,
    key: string | null,
    body: { name: string; phone: string; serviceId?: string | undefined },
  ) => {
    const { businessId, dailyLimit } = keyOf(res);
    const { serviceId = null } = body;
    const day = { businessId, date: today(res), queueId };
    const fingerprint = hashOf(JSON.stringify([queueId, body]));
    const [holder, queue, service, last] = await Promise.all([
      key === null ? null : database.find("entries", { businessId, key }),
      database.find("queues", { businessId, id: queueId }),
      serviceId === null ? null : database.find("services", { businessId, id: serviceId }),
      database.last(day),
    ]);
    if (holder) {
      if (holder.fingerprint !== fingerprint) throw new Refusal(422, "idempotency_key_reuse");
      res.setHeader("Idempotent-Replay", "true");
      return holder;
    }
    if (!queue) throw new Refusal(404, "not_found");
    if (!queue.isActive) throw new Refusal(409, "queue_unavailable");
    if (queue.isPaused) throw new Refusal(409, "queue_paused");
    if (serviceId !== null && !service?.active) throw new Refusal(400, "invalid_request");
    if (last.place >= (dailyLimit ?? Infinity)) throw new Refusal(403, "plan_limit_reached");
    const { tokenSeries } = queue;
    const [id, tokenNumber] = [randomUUID().replaceAll("-", ""), last.number + 1];
    const resource = {
      id,
      token: `${tokenSeries}${tokenNumber}`,
      tokenSeries,
      tokenNumber,
      priority: false,
      serviceId,
      customer: { name: body.name, phone: body.phone.replaceAll(/\D/g, "") },
      issuedAt: new Date().toISOString(),
      startedAt: null,
      completedAt: null,
      canceledAt: null,
    };
    const entry: PeerEntry = {
      ...day,
      id,
      resource: JSON.stringify(resource),
      tokenNumber,
      placeInDay: last.place + 1,
      status: "WAITING",
      priority: 0,
      workMinutes: service?.minutes ?? null,
      startedAt: null,
      completedAt: null,
      key,
      fingerprint,
    };
    const [sent] = await placed([entry]);
    const kept = { ...entry, resource: JSON.stringify(sent) };
    if (!(await database.insert("entries", kept, auditRow(res, 201)))) return null;
    res.locals.isAudited = true;
    return kept;
  };

  const endpoints = initServer().router(own, {
    me: async ({ res }) => ({ status: 200, body: { data: meOf(res) } }),

    get: async ({ params: { entryId: id }, res }) => {
      const entry = await database.find("entries", { businessId: keyOf(res).businessId, id });
      if (!entry) throw new Refusal(404, "not_found");
      const [data] = await placed([entry]);
      return { status: 200, body: { data: data as EntryWithPosition } };
    },

    list: async ({ params: { queueId: id }, query, res }) => {
      const { businessId } = keyOf(res);
      const { limit = 50, cursor = 0, status, date = today(res) } = query;
      const queue = await database.find("queues", { businessId, id });
      if (!queue) throw new Refusal(404, "not_found");
      const where = { businessId, date, queueId: id, ...(status && { status }) };
      const found = await database.page(where, Number(cursor), limit + 1);
      const shown = found.slice(0, limit);
      const data = (await placed(shown)).map(({ position: _, ...entry }) => entry);
      const next = `${shown.at(-1)?.tokenNumber}`.padStart(20, "0");
      return { status: 200, body: { data, nextCursor: found.length > limit ? next : null } };
    },

    create: async ({ params, headers, body, res }) => {
      const key = headers["idempotency-key"] ?? null;
      for (;;) {
        const entry = await issue(res, params.queueId, key, body);
        if (!entry) continue;
        res.setHeader("Location", `/v1/entries/${entry.id}`);
        return { status: 201, body: { data: JSON.parse(entry.resource) } };
      }
    },
  });

  const app = express();
  app.disable("etag").disable("x-powered-by");
  app.use((_req, res, next) => {
    res.locals.requestId = randomUUID();
    res.set({ "X-Request-Id": res.locals.requestId, "API-Version": "v1" });
    res.set("Cache-Control", "no-store");
    next();
  });
  app.use(helmet(), admission);
  createExpressEndpoints(own, endpoints, app, {
    logInitialization: false,
    globalMiddleware: [
      (req, res, next) => {
        const { access } = req.tsRestRoute.metadata;
        if (access === null || meOf(res).key.scopes.includes(access)) return next();
        throw new Refusal(403, "insufficient_scope", { required: [access] });
      },
      express.json({ limit: 32_768 }),
    ],
    requestValidationErrorHandler: ({ pathParams, headers, query, body }) => {
      const issues = [pathParams, headers, query, body].flatMap((part) => part?.issues ?? []);
      const details = issues.map(({ message }) => message);
      throw new Refusal(400, "invalid_request", { details });
    },
  });
  app.use(((error, _req, res, _next) => {
    const { status, message: code, more } = error as Refusal;
    const { requestId } = res.locals;
    res.status(status).json({ error: { code, message: code, requestId, ...more } });
  }) satisfies ErrorRequestHandler);
  return app;
}

/** What one writes with Express in an hour: one command a request, and nothing else. The resources lie ready. */
function bareApp(database: PeerDatabase, tenants: readonly PeerTenant[]) {
  const first = new Map(tenants.map(({ key, entries: [entry] }) => [key.id, entry]));
  const dayOf = (authorization = "") => {
    const { businessId, date } = first.get(authorization.split("_")[2] ?? "") as PeerEntry;
    return { businessId, date };
  };
  const app = express();
  app.get("/v1/entries/:id", async (req, res) => {
    const { businessId } = dayOf(req.headers.authorization);
    const entry = await database.find("entries", { businessId, id: req.params.id });
    if (entry) res.json({ data: JSON.parse(entry.resource) });
    else res.sendStatus(404);
  });
  app.get("/v1/queues/:queueId/entries", async (req, res) => {
    const day = { ...dayOf(req.headers.authorization), queueId: req.params.queueId };
    const found = await database.page(day, 0, 51);
    const data = found.slice(0, 50).map((entry) => {
      const { position: _, ...sent } = JSON.parse(entry.resource);
      return sent;
    });
    res.json({ data, nextCursor: found.length > 50 ? "more" : null });
  });
  return app;
}

interface Ahead {
  people: number;
  known: number;
  unknown: number;
}

function aheadIn(groups: readonly PeerGroup[], priority: 0 | 1): Ahead {
  const ahead: Ahead = { people: 0, known: 0, unknown: 0 };
  for (const group of groups) {
    if (group.status !== "WAITING") continue;
    const people = group.priority === priority ? group.before : group.priority ? group.entries : 0;
    ahead.people += people;
    if (group.workMinutes === null) ahead.unknown += people;
    else ahead.known += people * group.workMinutes;
  }
  return ahead;
}

/** The work ahead at the pace of the day, in minutes; unknown work counts as the mean of what was finished. */
function waitOf({ known, unknown }: Ahead, groups: readonly PeerGroup[]): number | null {
  const sum = (status: string, field: "entries" | "finishedMs") =>
    groups.reduce((total, group) => total + (group.status === status ? group[field] : 0), 0);
  const finished = sum("COMPLETED", "entries");
  if (unknown > 0 && finished === 0) return null;
  const minute = Math.max(1, finished) * minuteMs;
  const work = known * minute + unknown * Math.max(0, sum("COMPLETED", "finishedMs"));
  return Math.ceil(work / (minute * Math.max(1, sum("IN_SERVICE", "entries"))));
}

const formats = new Map<string, Intl.DateTimeFormat>(); // making one takes longer than a request

/** Today in the time zone of a request's business. */
function today(res: Response): string {
  const timeZone = meOf(res).business.timezone ?? "UTC";
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone });
  formats.set(timeZone, format);
  return format.format();
}

/** What a peer holds from the beginning. */
export interface PeerTenant {
  readonly key: PeerKey;
  readonly queues: readonly PeerQueue[];
  readonly services: readonly PeerService[];
  readonly entries: readonly PeerEntry[];
}

/** What a peer is to serve, and from where. */
export interface PeerQuestion {
  readonly databaseUrl: string;
  /** Whether it makes the promises, or answers with one command. */
  readonly promises: boolean;
  readonly tenants: readonly PeerTenant[];
}

/** Answers with the origin that it serves on. */
answerQuestions<PeerQuestion, string>(async ({ databaseUrl, promises, tenants }) => {
  const open = databaseUrl.startsWith("file:") ? sqliteDatabase : mongoDatabase;
  const database = await open(databaseUrl);
  for (const { key, queues, services, entries } of tenants) {
    await database.insert("keys", key);
    for (const queue of queues) await database.insert("queues", queue);
    for (const service of services) await database.insert("services", service);
    await Promise.all(entries.map((entry) => database.insert("entries", entry)));
  }
  const app = promises ? peerApp(database) : bareApp(database, tenants);
  const server = app.listen(0, "127.0.0.1");
  server.keepAliveTimeout = 65_000; // as ours
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
