import { randomBytes } from "node:crypto";
import { openStore, readConfig, type Store, startServer } from "@queue-api/server";
import type { Target } from "../support/client.js";
import { temporaryDatabase } from "../support/database.js";
import { mongoDatabase } from "../support/mongo.js";
import { serve } from "../support/process.js";
import { targetAt } from "../support/service.js";

/** A store, and the number of processes that serve it. */
export type PlaceName = "memory" | "sqlite" | "sqlite-2" | "mongo-2";

/** The running service, one target for each process. The owner of the businesses acts on the store. */
export interface Place {
  readonly targets: readonly Target[];
  readonly store: Store;
}

const databases = {
  memory: async () => "memory:",
  sqlite: temporaryDatabase,
  "sqlite-2": temporaryDatabase,
  "mongo-2": async () => mongoDatabase(),
} satisfies Record<PlaceName, typeof temporaryDatabase>;

/** Starts the service: one process is this one, a second one runs `queue-api serve`. `atEnd` stops both. */
export async function startPlace(
  name: PlaceName,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Place> {
  const databaseUrl = await databases[name]();
  const store = await openStore(databaseUrl, { random: randomBytes });
  atEnd(() => store.close());
  const settings = { port: 0, trustProxy: ["loopback"], checkAnswers: true };
  const config = { ...readConfig({}), ...settings, databaseUrl };
  const server = await startServer({ store, config, random: randomBytes });
  atEnd(() => server.close());
  const urls = [server.url];
  if (name.endsWith("-2")) urls.push((await serve(databaseUrl, atEnd)).url);
  return { targets: await Promise.all(urls.map(targetAt)), store };
}
