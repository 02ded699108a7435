import { everyEntry } from "../../api.js";
import { clinic, usualDay } from "../../clinic.js";
import { connections } from "../../load/load-spec.js";
import { newMongoDatabase } from "../../mongo.js";
import type { MongoPeerQuestion, QueueOfEntries } from "../../peer/mongo-peer.js";
import type { Service, Stage, Tenant } from "../../stage.js";

/**
 * The callers of the load. Concurrent requests of one business, with one key, share commands. If each
 * connection belongs to another business, concurrent requests share none of the key and the queue.
 */
export interface Crowd {
  readonly businesses: number;
  /** The suffix of a row's name, and the part of its description. */
  readonly suffix: string;
  readonly description: string;
}

export const together: Crowd = { businesses: 1, suffix: "", description: "one key" };
export const apart: Crowd = {
  businesses: connections,
  suffix: "-apart",
  description: `${connections} businesses`,
};

/** A service on MongoDB with these businesses, each with this many entries on a usual day. */
export function tenantsOnMongo(
  stage: Stage,
  { businesses }: Crowd,
  people: number,
): Promise<Service> {
  const seed = Array.from({ length: businesses }, (_, n) => {
    const [business] = clinic({ front: usualDay(people) }).businesses;
    if (!business) throw new Error("the clinic is no business");
    return { ...business, slug: `${business.slug}-${n}` };
  });
  return stage.service({ businesses: seed }, { databaseUrl: newMongoDatabase(stage) });
}

/** The queue of a tenant with all its entries. */
export async function queueOf(tenant: Tenant): Promise<QueueOfEntries> {
  const { front: queueId = "" } = tenant.queues;
  return { queueId, entries: await everyEntry(tenant, queueId) };
}

/** The callers of the tenants. Each requests a path of its queue: `""` for the queue, `/entries` for its entries. */
export function askingForQueues({ tenants }: Service, path: string) {
  return tenants.map(({ key, queues }) => ({ key, paths: [`/v1/queues/${queues.front}${path}`] }));
}

/** Serves these queues from a bare Express app on MongoDB, and returns its origin. */
export function mongoPeer(stage: Stage, queues: readonly QueueOfEntries[]): Promise<string> {
  const module = new URL("../../peer/mongo-peer.js", import.meta.url);
  const peer = stage.worker<MongoPeerQuestion, string>(module);
  return peer.ask({ databaseUrl: newMongoDatabase(stage), queues });
}
