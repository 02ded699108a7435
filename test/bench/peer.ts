import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { type EntryWithPosition, routes } from "@queue-api/contract";
import { createExpressEndpoints, initServer } from "@ts-rest/express";
import express, { type RequestHandler, type Response } from "express";
import helmet from "helmet";
import { listen } from "../support/listen.js";
import type {
  PeerAudit,
  PeerDatabase,
  PeerEntry,
  PeerGroup,
  PeerKey,
  PeerWindows,
  Tables,
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
const maxFailures = 30;
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const { list, get, create } = routes.entries;
const own = { me: routes.me.get, list, get, create };

function peerApp(database: PeerDatabase) {
  const callerOf = (res: Response) => res.locals.key as PeerKey;
  const auditOf = (res: Response, status: number): PeerAudit => ({
    id: res.locals.requestId,
    businessId: callerOf(res).businessId,
    keyId: callerOf(res).id,
    at: Date.now(),
    method: res.req.method,
    path: res.req.path,
    status,
    ip: res.req.ip ?? "",
  });
  const failure = (res: Response, code: string, more: object = {}) => {
    const { requestId } = res.locals;
    return { error: { code, message: code, requestId, docUrl: "", ...more } } as never;
  };
  const refuse = (res: Response, status: number, code: string, more: object = {}) => {
    res.status(status).json(failure(res, code, more));
    return false;
  };

  /** One attempt to admit a request; null if another one charged the windows first. */
  const admit = async (keyId: string, secret: string, res: Response): Promise<boolean | null> => {
    const { ip = "", method } = res.req;
    const now = Date.now();
    const [key, ofKey, ofAddress] = await Promise.all([
      database.find("keys", { id: keyId }),
      database.find("windows", { id: `key ${keyId}` }),
      database.find("windows", { id: `address ${ip}` }),
    ]);
    const charge = (before: PeerWindows | null, after: PeerWindows) =>
      before ? database.charge(before, after) : database.insert("windows", after);
    const current = (before: PeerWindows | null, id: string, length: number): PeerWindows =>
      before && now < before.startedAt + length
        ? before
        : { id, startedAt: now, requests: 0, writes: 0 };
    const failed = current(ofAddress, `address ${ip}`, 10 * minuteMs);
    if (failed.requests >= maxFailures) return refuse(res, 429, "too_many_failed_attempts");
    const kept = Buffer.from(key?.secretHash ?? "0".repeat(64));
    const isSame = timingSafeEqual(kept, Buffer.from(hashOf(secret)));
    if (!isSame || !key || key.revokedAt !== null || (key.expiresAt ?? Infinity) <= now) {
      const next = { ...failed, requests: failed.requests + 1 };
      if (!(await charge(ofAddress, next))) return null;
      return refuse(res, 401, "unauthorized");
    }
    if (!key.apiAccess) return refuse(res, 403, "api_access_disabled");
    if (key.allowIps !== null && !key.allowIps.split(" ").includes(ip)) {
      return refuse(res, 403, "ip_not_allowed");
    }
    const used = current(ofKey, `key ${keyId}`, minuteMs);
    const [requests, writes] = [used.requests + 1, used.writes + Number(method === "POST")];
    if (requests > key.requestsPerMinute || writes > key.writesPerMinute) {
      return refuse(res, 429, "rate_limited");
    }
    if (!(await charge(ofKey, { ...used, requests, writes }))) return null;
    res.locals.key = key;
    res.setHeader("RateLimit-Limit", key.requestsPerMinute);
    res.setHeader("RateLimit-Remaining", key.requestsPerMinute - requests);
    res.setHeader("RateLimit-Reset", Math.ceil((used.startedAt + minuteMs - now) / 1000));
    return true;
  };

  const admission: RequestHandler = async (req, res, next) => {
    const [, keyId = "", secret = ""] =
      /^Bearer svc_live_(\w+?)_(\w+)$/.exec(req.headers.authorization ?? "") ?? [];
    for (;;) {
      const admitted = await admit(keyId, secret, res);
      if (admitted === false) return;
      if (admitted) break;
    }
    const audit = () => {
      if (!res.locals.isAudited) void database.insert("audit", auditOf(res, res.statusCode));
    };
    res.once("finish", audit);
    next();
  };

  /** The places of entries in token order, of which all who wait between two are among them. */
  const placed = async (entries: readonly PeerEntry[]): Promise<EntryWithPosition[]> => {
    const first = entries.find(({ status }) => status === "WAITING");
    const groups = first ? await database.groups(first, first.tokenNumber) : [];
    const line = { first: aheadIn(groups, 1), others: aheadIn(groups, 0) };
    return entries.map((entry) => {
      if (entry.status !== "WAITING") return resource(entry, null, null);
      const ahead = line[entry.priority ? "first" : "others"];
      const sent = resource(entry, ahead.people + 1, waitOf(ahead, groups));
      ahead.people += 1;
      ahead.known += entry.workMinutes ?? 0;
      ahead.unknown += Number(entry.workMinutes === null);
      return sent;
    });
  };

  const endpoints = initServer().router(own, {
    me: async ({ res }) => {
      const { id, name, slug, timezone, keyName, requestsPerMinute, writesPerMinute, ...key } =
        callerOf(res);
      const expiresAt = timeOf(key.expiresAt);
      const data = {
        business: { name, slug, category: null, timezone },
        key: { id, name: keyName, scopes: key.scopes.split(" ") as "queue:read"[], expiresAt },
        limits: { requestsPerMinute, writesPerMinute, maxBodyBytes: 32_768 },
      };
      return { status: 200, body: { data } };
    },

    get: async ({ params, res }) => {
      const entry = await database.find("entries", {
        businessId: callerOf(res).businessId,
        id: params.entryId,
      });
      if (!entry) return notFound(res);
      const [data] = await placed([entry]);
      return { status: 200, body: { data: data as EntryWithPosition } };
    },

    list: async ({ params, query, res }) => {
      const { businessId, timezone } = callerOf(res);
      const { limit = 50, cursor, status } = query;
      const queue = await database.find("queues", { businessId, id: params.queueId });
      if (!queue) return notFound(res);
      const day = { businessId, date: query.date ?? dayIn(timezone), queueId: queue.id };
      const where = { ...day, ...(status && { status }) };
      const found = await database.page(where, Number(cursor ?? 0), limit + 1);
      const shown = found.slice(0, limit);
      const more = found.length > limit;
      const data = (await placed(shown)).map(({ position: _, ...entry }) => entry);
      const nextCursor = more ? `${shown.at(-1)?.tokenNumber}`.padStart(20, "0") : null;
      return { status: 200, body: { data, nextCursor } };
    },

    create: async ({ params: { queueId }, headers, body, res }) => {
      const { businessId, timezone, dailyLimit } = callerOf(res);
      const key = headers["idempotency-key"] ?? null;
      const fingerprint = hashOf(JSON.stringify([queueId, body]));
      const { serviceId = null } = body;
      for (;;) {
        const day = { businessId, date: dayIn(timezone), queueId };
        const [holder, queue, service, last] = await Promise.all([
          key === null ? null : database.find("entries", { businessId, key }),
          database.find("queues", { businessId, id: queueId }),
          serviceId === null ? null : database.find("services", { businessId, id: serviceId }),
          database.last(day),
        ]);
        if (holder && holder.fingerprint !== fingerprint) {
          return { status: 422, body: failure(res, "idempotency_key_reuse") };
        }
        if (holder) {
          const receipt: { data: EntryWithPosition } = JSON.parse(holder.receipt ?? "");
          res.setHeader("Location", `/v1/entries/${holder.id}`).set("Idempotent-Replay", "true");
          return { status: 201, body: receipt };
        }
        if (!queue) return notFound(res);
        if (!queue.isActive) return { status: 409, body: failure(res, "queue_unavailable") };
        if (queue.isPaused) return { status: 409, body: failure(res, "queue_paused") };
        if (serviceId !== null && !service?.active) {
          return { status: 400, body: failure(res, "invalid_request") };
        }
        if (last.sequence >= (dailyLimit ?? Infinity)) {
          return { status: 403, body: failure(res, "plan_limit_reached") };
        }
        const entry: PeerEntry = {
          ...day,
          id: randomUUID().replaceAll("-", ""),
          tokenSeries: queue.tokenSeries,
          tokenNumber: last.number + 1,
          sequenceInDay: last.sequence + 1,
          status: "WAITING",
          priority: 0,
          serviceId,
          workMinutes: service?.minutes ?? null,
          customerName: body.name,
          customerPhone: body.phone.replaceAll(/\D/g, ""),
          issuedAt: Date.now(),
          startedAt: null,
          completedAt: null,
          canceledAt: null,
          key,
          fingerprint,
          receipt: null,
        };
        const [data] = await placed([entry]);
        const sent = { data: data as EntryWithPosition };
        const receipt = JSON.stringify(sent);
        const kept = { ...entry, receipt };
        if (!(await database.insert("entries", kept, auditOf(res, 201)))) continue;
        res.locals.isAudited = true;
        res.setHeader("Location", `/v1/entries/${entry.id}`);
        return { status: 201, body: sent };
      }
    },
  });
  const notFound = (res: Response) => ({ status: 404 as const, body: failure(res, "not_found") });

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
        if (access === null || callerOf(res).scopes.split(" ").includes(access)) next();
        else refuse(res, 403, "insufficient_scope", { required: [access] });
      },
      express.json({ limit: 32_768 }),
    ],
    requestValidationErrorHandler: (error, _req, res) => {
      const parts = [error.pathParams, error.headers, error.query, error.body];
      const details = parts.flatMap((part) => part?.issues ?? []).map(({ message }) => message);
      refuse(res, 400, "invalid_request", { details });
    },
  });
  return app;
}

/** What one writes with Express in an hour: one command a request, and nothing else. Places lie ready in the receipts. */
function bareApp(database: PeerDatabase, tenants: readonly PeerTenant[]) {
  const first = new Map(tenants.map(({ key, entries: [entry] }) => [key.id, entry as PeerEntry]));
  const dayOf = (authorization = "") => {
    const { businessId, date } = first.get(authorization.split("_")[2] ?? "") as PeerEntry;
    return { businessId, date };
  };
  const sentOf = (entry: PeerEntry) => {
    const { position, predictedWaitMinutes } = JSON.parse(entry.receipt ?? "").data;
    return resource(entry, position, predictedWaitMinutes);
  };
  const app = express();
  app.get("/v1/entries/:id", async (req, res) => {
    const { businessId } = dayOf(req.headers.authorization);
    const entry = await database.find("entries", { businessId, id: req.params.id });
    if (entry) res.json({ data: sentOf(entry) });
    else res.sendStatus(404);
  });
  app.get("/v1/queues/:queueId/entries", async (req, res) => {
    const day = { ...dayOf(req.headers.authorization), queueId: req.params.queueId };
    const found = await database.page(day, 0, 51);
    const data = found.slice(0, 50).map((entry) => {
      const { position: _, ...sent } = sentOf(entry);
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

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function resource(
  entry: PeerEntry,
  position: number | null,
  predictedWaitMinutes: number | null,
): EntryWithPosition {
  const { id, tokenSeries, tokenNumber, status, serviceId } = entry;
  const { customerName: name, customerPhone: phone } = entry;
  return {
    id,
    token: `${tokenSeries}${tokenNumber}`,
    tokenSeries,
    tokenNumber,
    status: status as EntryWithPosition["status"],
    priority: entry.priority === 1,
    serviceId,
    customer: { name, phone },
    issuedAt: new Date(entry.issuedAt).toISOString(),
    startedAt: timeOf(entry.startedAt),
    completedAt: timeOf(entry.completedAt),
    canceledAt: timeOf(entry.canceledAt),
    predictedWaitMinutes,
    position,
  };
}

const formats = new Map<string, Intl.DateTimeFormat>(); // making one takes longer than a request

function dayIn(timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone });
  formats.set(timeZone, format);
  return format.format();
}

export interface PeerTenant {
  readonly key: PeerKey;
  readonly queues: readonly Tables["queues"][];
  readonly services: readonly Tables["services"][];
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
  const server = createServer(app);
  server.keepAliveTimeout = 65_000; // as ours
  return listen(server);
});
