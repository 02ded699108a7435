import { everyEntry, newMongoDatabase, sameAnswer } from "./api.js";
import { clinic, usualDay } from "./clinic.js";
import { type Race, type Row, race, type Side } from "./compare.js";
import { beside, type Caller, connections, creating, creatingBy, readingBy } from "./load.js";
import type { MongoPeerQuestion, PeerTenant } from "./mongo-peer.js";
import { longLines, manyQueues } from "./sqlite-rows.js";
import type { Service, Stage } from "./stage.js";

const people = 60;
const businesses = `${connections} businesses`;

/** The two peers: one sends a single command a request, the other makes the promises that we make. */
const peers = {
  promises: { suffix: "", against: "the same promises, written by hand" },
  bare: { suffix: "-bare", against: "bare Express, one command" },
};
type Peer = keyof typeof peers;

/** A service on MongoDB with a business for each connection, so that concurrent requests share neither key nor queue. */
function tenantsOnMongo(stage: Stage, entries: number): Promise<Service> {
  const seed = Array.from({ length: connections }, (_, n) => {
    const [business] = clinic({ front: usualDay(entries) }).businesses;
    if (!business) throw new Error("the clinic is no business");
    return { ...business, slug: `${business.slug}-${n}` };
  });
  return stage.service({ businesses: seed }, { databaseUrl: newMongoDatabase(stage) });
}

/** The tenants of a service with all their entries, for a peer. */
function peerTenants({ tenants }: Service): Promise<PeerTenant[]> {
  return Promise.all(
    tenants.map(async (tenant) => {
      const { front: queueId = "" } = tenant.queues;
      return { key: tenant.key, queueId, entries: await everyEntry(tenant, queueId) };
    }),
  );
}

function startPeer(stage: Stage, peer: Peer, tenants: readonly PeerTenant[]): Promise<string> {
  const worker = stage.worker<MongoPeerQuestion, string>(
    new URL("./mongo-peer.js", import.meta.url),
  );
  const databaseUrl = newMongoDatabase(stage);
  return worker.ask({ databaseUrl, promises: peer === "promises", tenants });
}

/** A row of reads: each tenant reads its paths from our service and from a peer. */
function readingRow(
  name: string,
  what: string,
  goals: Readonly<Record<Peer, number>>,
  pathsOf: (tenant: PeerTenant) => readonly string[],
): Race[] {
  return (Object.keys(peers) as Peer[]).map((peer) => ({
    name: `mongo-${name}${peers[peer].suffix}`,
    measured: `MongoDB: ${what}, ${businesses}`,
    against: peers[peer].against,
    goal: goals[peer],
    async sides(stage) {
      const service = await tenantsOnMongo(stage, people);
      const tenants = await peerTenants(service);
      const origin = await startPeer(stage, peer, tenants);
      const callers: Caller[] = tenants.map((one) => ({ key: one.key, paths: pathsOf(one) }));
      for (const [at, tenant] of service.tenants.entries()) {
        const [path = ""] = callers[at]?.paths ?? [];
        // The hand-written peer estimates waits by a rule of its own.
        await sameAnswer(tenant, origin, path, peer === "bare" ? [] : ["predictedWaitMinutes"]);
      }
      return beside(stage, origin, readingBy(service.origin, callers));
    },
  }));
}

const createRows = (Object.keys(peers) as Peer[]).map(
  (peer): Race => ({
    name: `mongo-create${peers[peer].suffix}`,
    measured: `MongoDB: create with Idempotency-Key, ${businesses}`,
    against: peers[peer].against,
    goal: { promises: 0.85, bare: 0.2 }[peer],
    async sides(stage) {
      const service = await tenantsOnMongo(stage, 0);
      const tenants = await peerTenants(service);
      const origin = await startPeer(stage, peer, tenants);
      const callers = tenants.map(({ key, queueId }) => ({
        key,
        paths: [`/v1/queues/${queueId}/entries`],
      }));
      return beside(stage, origin, creatingBy(service.origin, callers));
    },
  }),
);

const tokensASecond = 1_000;

const oneQueue: Race = {
  name: "mongo-one-queue",
  measured: "MongoDB: create with Idempotency-Key, one queue",
  against: `${tokensASecond} tokens a second`,
  goal: 1,
  async sides(stage, rounds) {
    const databaseUrl = newMongoDatabase(stage);
    const service = await stage.service(clinic(manyQueues(rounds + 1, [])), { databaseUrl });
    const all = creating(service, Object.values(service.queues));
    const constant: Side = {
      run: async (milliseconds) => ({
        answers: (tokensASecond * milliseconds) / 1000,
        ...{ milliseconds, generatorBusy: 0 },
      }),
    };
    // One queue at a time: each gives 10,000 tokens a day.
    return { ours: await stage.load({ ...all, pathEachRun: true, most: 8_000 }), theirs: constant };
  },
};

/** The rows that need a MongoDB server, in their order. */
export const mongoRows: readonly Row[] = [
  ...readingRow("entry", "GET entry", { promises: 0.85, bare: 0.3 }, ({ entries }) =>
    entries.filter(({ status }) => status === "WAITING").map(({ id }) => `/v1/entries/${id}`),
  ),
  ...readingRow("list", "list of 50 entries", { promises: 0.85, bare: 0.3 }, ({ queueId }) => [
    `/v1/queues/${queueId}/entries`,
  ]),
  ...createRows,
  oneQueue,
  ...longLines({ prefix: "mongo-", label: "MongoDB: ", goal: 0.6 }, (stage) => ({
    databaseUrl: newMongoDatabase(stage),
  })),
].map(race);
