import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type {
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  Service as ServiceResource,
} from "@queue-api/contract";
import mongoose from "mongoose";
import { clinic, clinics, usualDay, waiting } from "./clinic.js";
import { type Race, type Rival, type Row, race, type Side } from "./compare.js";
import type { Caller, Load, Slice } from "./load-worker.js";
import type { PeerQuestion, PeerTenant } from "./peer.js";
import type { PeerEntry } from "./peer-database.js";
import type { Service, Stage, Tenant } from "./stage.js";

/** The connections of the load. Each belongs to a business of its own. */
const businesses = 32;

/** The URL of the MongoDB server that some rows need; null if there is none. */
export const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

interface Engine {
  readonly prefix: string;
  readonly label: string;
  /** The minimum rates of creations in one queue and of 32 businesses, and of admissions. */
  readonly least: {
    readonly oneQueue: number;
    readonly create: number;
    readonly admission: number;
  };
  readonly bareGoal: number | null;
  /** The URL of a new database. */
  newDatabase(stage: Stage): string;
}

const sqlite: Engine = {
  prefix: "",
  label: "SQLite",
  bareGoal: 0.7,
  least: { oneQueue: 1_000, create: 1_500, admission: 600 },
  newDatabase: (stage) => stage.newFile(),
};

const mongo: Engine = {
  prefix: "mongo-",
  label: "MongoDB",
  bareGoal: null,
  least: { oneQueue: 100, create: 300, admission: 600 },
  newDatabase(stage) {
    if (mongoServer === null) throw new Error("TEST_MONGODB_URL names no MongoDB server");
    const url = `${mongoServer}/queue_api_bench_${randomBytes(6).toString("hex")}`;
    stage.atEnd(async () => {
      const client = await mongoose.mongo.MongoClient.connect(url);
      await client.db().dropDatabase();
      await client.close();
    });
    return url;
  },
};

/** Returns the JSON of a 200 response. */
export async function read<Answer>(tenant: Tenant, path: string, origin = tenant.origin) {
  const headers = { authorization: `Bearer ${tenant.key}` };
  const answer = await fetch(`${origin}${path}`, { headers });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

const listPath = ({ queues }: Tenant) => `/v1/queues/${queues.front}/entries`;

async function everyEntry(tenant: Tenant): Promise<Entry[]> {
  const path = `${listPath(tenant)}?limit=100`;
  const entries: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { data: Entry[]; nextCursor: string | null } = await read(
      tenant,
      cursor === "" ? path : `${path}&cursor=${cursor}`,
    );
    entries.push(...page.data);
    cursor = page.nextCursor;
  }
  return entries;
}

/** All that a peer has to know of a business of ours. */
async function peerTenant(tenant: Tenant): Promise<PeerTenant> {
  const { data: me } = await read<{ data: Me }>(tenant, "/v1/me");
  const { data: queues } = await read<{ data: Queue[] }>(tenant, "/v1/queues");
  const { data: services } = await read<{ data: ServiceResource[] }>(tenant, "/v1/services");
  const { slug, name } = me.business;
  const timezone = me.business.timezone ?? "UTC";
  const date = new Date().toLocaleDateString("sv-SE", { timeZone: timezone });
  const minutes = new Map(services.map(({ id, baseTimeMinutes }) => [id, baseTimeMinutes]));
  const entries: PeerEntry[] = [];
  for (const { id } of await everyEntry(tenant)) {
    const { data } = await read<{ data: EntryWithPosition }>(tenant, `/v1/entries/${id}`);
    const { customer, token: _, predictedWaitMinutes, position, ...entry } = data;
    const at = (time: string | null) => (time === null ? null : Date.parse(time));
    entries.push({
      ...entry,
      priority: Number(entry.priority),
      businessId: slug,
      queueId: tenant.queues.front ?? "",
      date,
      placeInDay: entries.length + 1,
      workMinutes: minutes.get(entry.serviceId ?? "") ?? null,
      customerName: customer.name,
      customerPhone: customer.phone,
      issuedAt: at(entry.issuedAt) ?? 0,
      startedAt: at(entry.startedAt),
      completedAt: at(entry.completedAt),
      canceledAt: at(entry.canceledAt),
      key: null,
      fingerprint: null,
      receipt: JSON.stringify({ position, predictedWaitMinutes }),
    });
  }
  const { requestsPerMinute, writesPerMinute } = me.limits;
  const { id, scopes, expiresAt, name: keyName } = me.key;
  const businessId = slug;
  return {
    key: {
      id,
      secretHash: await sha256(tenant.key),
      keyName,
      scopes: scopes.join(" "),
      allowIps: "",
      expiresAt: expiresAt && Date.parse(expiresAt),
      revokedAt: null,
      requestsPerMinute,
      writesPerMinute,
      businessId,
      name,
      slug,
      timezone,
      apiAccess: 1,
      dailyLimit: null,
    } as PeerTenant["key"],
    queues: queues.map(({ id }) => {
      return { id, businessId, tokenSeries: "A", isActive: 1, isPaused: 0 };
    }),
    services: services.map(({ id, baseTimeMinutes: minutes }) => {
      return { id, businessId, minutes, active: 1 };
    }),
    entries,
  };
}

async function sha256(key: string): Promise<string> {
  const secret = key.slice(key.lastIndexOf("_") + 1);
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(secret))).toString("hex");
}

/** Fails unless both servers answer with the same JSON. A cursor is each server's own. */
async function sameAnswer(tenant: Tenant, peer: string, path: string): Promise<void> {
  const answers = [tenant.origin, peer].map(async (origin) => {
    const { nextCursor, ...rest } = await read<{ nextCursor?: string | null }>(
      tenant,
      path,
      origin,
    );
    return { ...rest, hasMore: Boolean(nextCursor) };
  });
  const [ours, theirs] = await Promise.all(answers);
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`the answers to ${path} are not the same`);
}

type Requests = Pick<Load, "body" | "idempotencyKey" | "status">;
const reads: Requests = { body: null, idempotencyKey: null, status: 200 };
const customer = { name: "Kiran Bose", phone: "+91 98000 00099" };
const creations: Requests = {
  body: JSON.stringify(customer),
  idempotencyKey: "fresh",
  status: 201,
};
const replays = { ...creations, idempotencyKey: "one-key-for-each-business" };

/** Starts a load generator in a process of its own. `callers` may be of one round only. */
function loading(
  stage: Stage,
  origin: string,
  callers: readonly Caller[] | ((round: number) => readonly Caller[]),
  requests: Requests & Partial<Load>,
): Side {
  const worker = stage.worker<Load, Slice>(new URL("./load-worker.js", import.meta.url));
  return (milliseconds, round) => {
    const own = typeof callers === "function" ? callers(round) : callers;
    return worker.ask({ origin, callers: own, connections: businesses, ...requests, milliseconds });
  };
}

/** A race of our service and the peers, for 32 businesses on one engine. */
function beside(
  engine: Engine,
  name: string,
  what: string,
  row: {
    readonly people: number;
    readonly requests: Requests;
    readonly paths: (tenant: Tenant, entries: readonly PeerEntry[]) => readonly string[];
    /** Which peers run, with the minimum ratio. */
    readonly peers: { readonly promises: number; readonly bare?: number | null };
    readonly others?: (stage: Stage, service: Service, callers: readonly Caller[]) => Rival[];
  },
): Race {
  return {
    name: `${engine.prefix}${name}`,
    measured: `${engine.label}: ${what}`,
    async sides(stage) {
      const seed = clinics(businesses, usualDay(row.people));
      const service = await stage.service(seed, { databaseUrl: engine.newDatabase(stage) });
      const tenants: PeerTenant[] = [];
      for (const tenant of service.tenants) tenants.push(await peerTenant(tenant));
      const callers = service.tenants.map((tenant, at) => {
        return { key: tenant.key, paths: row.paths(tenant, tenants[at]?.entries ?? []) };
      });
      const rivals: Rival[] = [];
      for (const [peer, least] of Object.entries(row.peers)) {
        const worker = stage.worker<PeerQuestion, string>(new URL("./peer.js", import.meta.url));
        const databaseUrl = engine.newDatabase(stage);
        const promises = peer === "promises";
        const origin = await worker.ask({ databaseUrl, promises, tenants });
        if (row.requests.body === null) {
          for (const [at, tenant] of service.tenants.entries()) {
            for (const path of callers[at]?.paths ?? []) await sameAnswer(tenant, origin, path);
          }
        }
        const against = promises ? "the same promises, by hand" : "bare Express, one command";
        rivals.push({ against, least, side: loading(stage, origin, callers, row.requests) });
      }
      rivals.push(...(row.others?.(stage, service, callers) ?? []));
      return { ours: loading(stage, service.origin, callers, row.requests), rivals };
    },
  };
}

function rowsOn(engine: Engine): Race[] {
  const { prefix, label, least, bareGoal } = engine;
  const people = 60;
  const atLeast = (rate: number): Rival => {
    return { against: "a rate", least: 1, side: rate };
  };
  return [
    beside(engine, "entry", "GET entry", {
      people,
      requests: reads,
      peers: { promises: 1, bare: bareGoal },
      paths: (_, entries) =>
        entries.filter(({ status }) => status === "WAITING").map(({ id }) => `/v1/entries/${id}`),
    }),
    beside(engine, "list", "list of 50", {
      people,
      requests: reads,
      peers: { promises: 0.95, bare: bareGoal },
      paths: (tenant) => [listPath(tenant)],
    }),
    beside(engine, "admissions", "GET me, an admission", {
      people: 0,
      requests: reads,
      peers: { promises: 0.95 },
      paths: () => ["/v1/me"],
      others: () => [atLeast(least.admission)],
    }),
    beside(engine, "create", "create with Idempotency-Key", {
      people: 0,
      requests: creations,
      peers: { promises: 0.95 },
      paths: (tenant) => [listPath(tenant)],
      others: () => [atLeast(least.create)],
    }),
    beside(engine, "replay", "replay of a creation", {
      people: 0,
      requests: replays,
      peers: { promises: 0.95 },
      paths: (tenant) => [listPath(tenant)],
      others: (stage, service, callers) => {
        const side = loading(stage, service.origin, callers, creations);
        return [{ against: "creations", least: 1, side }];
      },
    }),
    {
      name: `${prefix}one-queue`,
      measured: `${label}: create in one queue, 32 connections of a key`,
      async sides(stage) {
        // A queue gives 10,000 tokens a day, so each round has its own.
        const queues = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`q${at}`, []]));
        const service = await stage.service(clinic(queues), {
          databaseUrl: engine.newDatabase(stage),
        });
        const callers = (round: number) => {
          const paths = [`/v1/queues/${service.queues[`q${round % 20}`]}/entries`];
          return [{ key: service.key, paths }];
        };
        const ours = loading(stage, service.origin, callers, creations);
        return { ours, rivals: [atLeast(least.oneQueue)] };
      },
    },
    {
      name: `${prefix}long-line`,
      measured: `${label}: create with 9,000 waiting, ${few} businesses`,
      async sides(stage) {
        const side = async (people: number) => {
          const seed = clinics(few, waiting(people));
          const service = await stage.service(seed, { databaseUrl: engine.newDatabase(stage) });
          const callers = service.tenants.map((one) => ({ key: one.key, paths: [listPath(one)] }));
          // Few, so that the line keeps its length, and the day has numbers left.
          const load = { ...creations, connections: few, amount: few * 100 };
          return loading(stage, service.origin, callers, load);
        };
        const rival = { against: "with 10 waiting", least: null, side: await side(10) };
        return { ours: await side(9_000), rivals: [rival] };
      },
    },
    {
      name: `${prefix}last-page`,
      measured: `${label}: last page of 10,000 entries, ${few} businesses`,
      async sides(stage) {
        const seed = clinics(few, usualDay(10_000));
        const service = await stage.service(seed, { databaseUrl: engine.newDatabase(stage) });
        const callers = async (isLast: boolean) =>
          Promise.all(
            service.tenants.map(async (tenant) => {
              const paths = [isLast ? await lastPage(tenant) : listPath(tenant)];
              return { key: tenant.key, paths };
            }),
          );
        const load = { ...reads, connections: few };
        const side = async (isLast: boolean) =>
          loading(stage, service.origin, await callers(isLast), load);
        const rival = { against: "its first page", least: 0.85, side: await side(false) };
        return { ours: await side(true), rivals: [rival] };
      },
    },
  ];
}

/** The businesses of rows with very long days, and their connections. */
const few = 4;

async function lastPage(tenant: Tenant): Promise<string> {
  const path = listPath(tenant);
  for (let last = path; ; ) {
    const { nextCursor } = await read<{ nextCursor: string | null }>(tenant, last);
    if (nextCursor === null) return last;
    last = `${path}?cursor=${nextCursor}`;
  }
}

const metricsToken = "bench-0123456789abcdef";

/** Reads with a way to observe the service, beside the same without. */
function observed(
  name: string,
  measured: string,
  settings: (stage: Stage) => Promise<Record<string, string>>,
  meanwhile: (origin: string) => Promise<unknown> = async () => {},
): Race {
  return {
    name,
    measured: `SQLite: GET entry with ${measured}`,
    async sides(stage) {
      const side = async (env: Record<string, string>): Promise<Side> => {
        const service = await stage.service(clinics(businesses, usualDay(60)), { env });
        const callers: Caller[] = [];
        for (const tenant of service.tenants) {
          const path = `${listPath(tenant)}?status=WAITING`;
          const { data } = await read<{ data: Entry[] }>(tenant, path);
          callers.push({ key: tenant.key, paths: data.map(({ id }) => `/v1/entries/${id}`) });
        }
        const load = loading(stage, service.origin, callers, reads);
        return async (...asked) => {
          const [slice] = await Promise.all([
            load(...asked),
            env.METRICS_TOKEN && meanwhile(service.origin),
          ]);
          return slice;
        };
      };
      const rival = { against: "the same without", least: 0.95, side: await side({}) };
      return { ours: await side(await settings(stage)), rivals: [rival] };
    },
  };
}

/** Accepts every request and discards it. */
async function collector(stage: Stage) {
  const server = createServer((req, res) => {
    req.resume().once("end", () => res.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stage.atEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
}

async function scrape(origin: string): Promise<void> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const answer = await fetch(`${origin}/metrics`, { headers });
  if (!answer.ok) throw new Error(`the scrape was answered ${answer.status}`);
  await answer.text();
}

/** The rows about the service, in their order. */
export const serviceRows: readonly Row[] = [
  ...rowsOn(sqlite),
  observed(
    "metrics",
    "metrics, scraped once a round",
    async () => ({ METRICS_TOKEN: metricsToken }),
    scrape,
  ),
  observed("traces", "traces, every one of them", collector),
  ...(mongoServer === null ? [] : rowsOn(mongo)),
].map(race);
