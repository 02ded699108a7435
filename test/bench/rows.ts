import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "@queue-api/contract";
import { openStore, type Store } from "@queue-api/server";
import mongoose from "mongoose";
import { clinic, clinics, usualDay, waiting } from "./clinic.js";
import type { Rival, Row, Side } from "./compare.js";
import { type Caller, type Load, loading } from "./load.js";
import type { PeerQuestion, PeerTenant } from "./peer.js";
import type { Stage, Tenant } from "./stage.js";

/** The connections of the load. Each belongs to a business of its own. */
const businesses = 32;

/** The businesses of rows with very long days, and their connections. */
const few = 4;

/** The URL of the MongoDB server that some rows need; null if there is none. */
export const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

interface Engine {
  readonly prefix: string;
  readonly label: string;
  /** The minimum rates of creations in one queue and of 32 businesses, and of admissions. */
  readonly rates: {
    readonly oneQueue: number;
    readonly create: number;
    readonly admission: number;
  };
  /** The minimum ratio to the bare peer. Default: it is only reported. */
  readonly bare?: number;
  newDatabase(stage: Stage): string;
}

const sqlite: Engine = {
  prefix: "",
  label: "SQLite",
  bare: 0.7,
  rates: { oneQueue: 1_000, create: 1_500, admission: 600 },
  newDatabase: (stage) => stage.newFile(),
};

const mongo: Engine = {
  prefix: "mongo-",
  label: "MongoDB",
  rates: { oneQueue: 100, create: 300, admission: 600 },
  newDatabase(stage) {
    const url = `${mongoServer}/queue_api_bench_${randomBytes(6).toString("hex")}`;
    stage.atEnd(async () => {
      const client = await mongoose.mongo.MongoClient.connect(url);
      await client.db().dropDatabase();
      await client.close();
    });
    return url;
  },
};

async function read<Answer>(
  { key, origin }: Pick<Tenant, "key" | "origin">,
  path: string,
): Promise<Answer> {
  const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

const callersOf = (
  tenants: readonly Tenant[],
  pathsOf: (tenant: Tenant) => Promise<readonly string[]>,
): Promise<Caller[]> =>
  Promise.all(tenants.map(async (one) => ({ key: one.key, paths: await pathsOf(one) })));

const listPath = ({ queues }: Tenant) => `/v1/queues/${queues.front}/entries`;

export async function waitingPaths(tenant: Tenant): Promise<string[]> {
  const { data } = await read<{ data: Entry[] }>(tenant, `${listPath(tenant)}?status=WAITING`);
  return data.map(({ id }) => `/v1/entries/${id}`);
}

/** All that a peer has to know of a business of ours: its records, and what our service answers for each entry. */
async function peerTenant(store: Store, tenant: Tenant): Promise<PeerTenant> {
  const { businessId, queues } = tenant;
  const business = await store.businesses.find("id", businessId);
  const [key] = await store.keys.list(businessId);
  if (!business || !key) throw new Error("a business has no key");
  const timezone = business.timezone ?? "UTC";
  const date = new Date().toLocaleDateString("sv-SE", { timeZone: timezone });
  const asked = { limit: 100, after: null };
  const page = await store.entries.page(businessId, queues.front ?? "", date, asked);
  if (typeof page === "string") throw new Error(page);
  const entries = page.items.map(async ({ entry }) => {
    const receipt = JSON.stringify(await read(tenant, `/v1/entries/${entry.id}`));
    return { ...entry, priority: Number(entry.priority), key: null, fingerprint: null, receipt };
  });
  return {
    key: {
      ...key,
      keyName: key.name,
      scopes: key.scopes.join(" "),
      allowIps: null,
      businessId,
      name: business.name,
      slug: business.slug,
      timezone,
      apiAccess: 1,
      dailyLimit: null,
    },
    queues: (await store.queues.list(businessId)).map(({ id, tokenSeries }) => {
      return { id, businessId, tokenSeries, isActive: 1, isPaused: 0 };
    }),
    services: (await store.services.list(businessId)).map(({ id, baseTimeMinutes: minutes }) => {
      return { id, businessId, minutes, active: 1 };
    }),
    entries: await Promise.all(entries),
  };
}

/** Fails unless both servers answer with the same JSON. A cursor is each server's own. */
async function sameAnswer({ key, origin }: Tenant, peer: string, path: string): Promise<void> {
  const answerOf = async (from: string) => {
    const answer = await read<{ nextCursor?: string | null }>({ key, origin: from }, path);
    return { ...answer, nextCursor: Boolean(answer.nextCursor) };
  };
  if (!isDeepStrictEqual(await answerOf(origin), await answerOf(peer))) {
    throw new Error(`the answers to ${path} are not the same`);
  }
}

type Requests = Pick<Load, "body" | "idempotencyKey" | "status">;
const reads: Requests = {};
const creations: Requests = {
  body: JSON.stringify({ name: "Kiran Bose", phone: "+91 98000 00099" }),
  idempotencyKey: "bench-[<id>]",
  status: 201,
};
const replays: Requests = { ...creations, idempotencyKey: "one-key-for-each-business" };

/** Our service and the peers, for 32 businesses on one engine. */
function beside(
  engine: Engine,
  name: string,
  measured: string,
  {
    people,
    requests,
    pathsOf,
    peers,
    others = () => [],
  }: {
    readonly people: number;
    readonly requests: Requests;
    readonly pathsOf: (tenant: Tenant) => Promise<readonly string[]>;
    /** The peers that run, with the minimum ratio. */
    readonly peers: { readonly promises: number; readonly bare?: number | undefined };
    readonly others?: (origin: string, callers: readonly Caller[]) => readonly Rival[];
  },
): Row {
  return {
    name: `${engine.prefix}${name}`,
    measured: `${engine.label}: ${measured}`,
    async sides(stage) {
      const seed = clinics(businesses, usualDay(people));
      const databaseUrl = engine.newDatabase(stage);
      const service = await stage.service(seed, { databaseUrl });
      const callers = await callersOf(service.tenants, pathsOf);
      const store = await openStore(databaseUrl, { random: randomBytes });
      const tenants: PeerTenant[] = [];
      for (const tenant of service.tenants) tenants.push(await peerTenant(store, tenant));
      await store.close();
      const rivals: Rival[] = [];
      for (const [peer, min] of Object.entries(peers)) {
        const serve = stage.worker<PeerQuestion, string>(new URL("./peer.js", import.meta.url));
        const databaseUrl = engine.newDatabase(stage);
        const promises = peer === "promises";
        const origin = await serve({ databaseUrl, promises, tenants });
        if (requests === reads) {
          for (const [at, tenant] of service.tenants.entries()) {
            for (const path of callers[at]?.paths ?? []) await sameAnswer(tenant, origin, path);
          }
        }
        const against = promises ? "the same promises, by hand" : "bare Express, one command";
        const side = loading({ origin, ...requests }, callers);
        rivals.push({ against, min, side });
      }
      const { origin } = service;
      rivals.push(...others(origin, callers));
      return { ours: loading({ origin, ...requests }, callers), rivals };
    },
  };
}

function rowsOn(engine: Engine): Row[] {
  const { prefix, label, rates, bare } = engine;
  const atLeast = (rate: number): Rival => {
    return { against: "a rate", min: 1, side: async () => rate };
  };
  const list = async (tenant: Tenant) => [listPath(tenant)];
  const create = { people: 0, pathsOf: list, peers: { promises: 0.95 } };
  return [
    beside(engine, "entry", "GET entry", {
      people: 60,
      requests: reads,
      pathsOf: waitingPaths,
      peers: { promises: 1, bare },
    }),
    beside(engine, "list", "list of 50", {
      people: 60,
      requests: reads,
      pathsOf: list,
      peers: { promises: 0.95, bare },
    }),
    beside(engine, "admissions", "GET me, an admission", {
      people: 0,
      requests: reads,
      pathsOf: async () => ["/v1/me"],
      peers: { promises: 0.95 },
      others: () => [atLeast(rates.admission)],
    }),
    beside(engine, "create", "create with Idempotency-Key", {
      ...create,
      requests: creations,
      others: () => [atLeast(rates.create)],
    }),
    beside(engine, "replay", "replay of a creation", {
      ...create,
      requests: replays,
      others(origin, callers) {
        const side = loading({ origin, ...creations }, callers);
        return [{ against: "creations", min: 1, side }];
      },
    }),
    {
      name: `${prefix}one-queue`,
      measured: `${label}: create in one queue, 32 connections of a key`,
      async sides(stage) {
        // A queue gives 10,000 tokens a day, so each round has its own.
        const queues = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`q${at}`, []]));
        const seed = { businesses: [clinic(queues)] };
        const service = await stage.service(seed, { databaseUrl: engine.newDatabase(stage) });
        const { origin, key } = service;
        const ours = loading({ origin, connections: businesses, ...creations }, (round) => {
          return [{ key, paths: [`/v1/queues/${service.queues[`q${round % 20}`]}/entries`] }];
        });
        return { ours, rivals: [atLeast(rates.oneQueue)] };
      },
    },
    {
      name: `${prefix}long-line`,
      measured: `${label}: create with 9,000 waiting, ${few} businesses`,
      async sides(stage) {
        const side = async (people: number) => {
          const seed = clinics(few, waiting(people));
          const databaseUrl = engine.newDatabase(stage);
          const { origin, tenants } = await stage.service(seed, { databaseUrl });
          const callers = await callersOf(tenants, list);
          // Few, so that the line keeps its length, and the day has numbers left.
          const load = { origin, ...creations, amount: few * 100 };
          return loading(load, callers);
        };
        const rivals = [{ against: "with 10 waiting", side: await side(10) }];
        return { ours: await side(9_000), rivals };
      },
    },
  ];
}

/** Settings of the service, and what happens once a round. */
interface Observing {
  readonly env: NodeJS.ProcessEnv;
  readonly meanwhile?: (origin: string) => Promise<unknown>;
}

/** Reads with a way to observe the service, beside the same without. */
function observed(
  name: string,
  measured: string,
  observing: (stage: Stage) => Promise<Observing>,
): Row {
  return {
    name,
    measured: `SQLite: GET entry with ${measured}`,
    async sides(stage) {
      const side = async ({ env, meanwhile }: Observing): Promise<Side> => {
        const { origin, tenants } = await stage.service(clinics(businesses, usualDay(60)), { env });
        const load = loading({ origin, ...reads }, await callersOf(tenants, waitingPaths));
        return async (...asked) => {
          const [speed] = await Promise.all([load(...asked), meanwhile?.(origin)]);
          return speed;
        };
      };
      const rivals = [{ against: "the same without", min: 0.95, side: await side({ env: {} }) }];
      return { ours: await side(await observing(stage)), rivals };
    },
  };
}

const metricsToken = "bench-0123456789abcdef";

async function scrape(origin: string): Promise<void> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const answer = await fetch(`${origin}/metrics`, { headers });
  if (!answer.ok) throw new Error(`the scrape was answered ${answer.status}`);
  await answer.text();
}

/** Traces that a collector accepts and discards. */
async function traces(stage: Stage): Promise<Observing> {
  const origin = await stage.serve((req, res) => {
    req.resume().once("end", () => res.end());
  });
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: origin } };
}

export const serviceRows: readonly Row[] = [
  ...rowsOn(sqlite),
  observed("metrics", "metrics, scraped once a round", async () => {
    return { env: { METRICS_TOKEN: metricsToken }, meanwhile: scrape };
  }),
  observed("traces", "traces, every one of them", traces),
  ...(mongoServer === null ? [] : rowsOn(mongo)),
];
