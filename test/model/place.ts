import type { Store } from "@queue-api/server";
import { onTestFinished } from "vitest";
import { copyOf, signedInVisitor, type Visitor } from "../dashboard/support/visitor.js";
import type { Target } from "../support/client.js";
import { temporaryDatabase } from "../support/database.js";
import { mongoDatabase } from "../support/mongo.js";
import { serve } from "../support/process.js";
import { startedServer, targetAt } from "../support/service.js";

/** A store, and the number of processes that serve it. */
export type PlaceName = "memory" | "sqlite" | "sqlite-2" | "mongo-2";

/** The running service. The model reaches it by HTTP only, except to add businesses and their owners. */
export interface Place {
  /** One for each process. */
  readonly targets: readonly Target[];
  readonly store: Store;
}

/** Starts the service until the test ends. The first process is this one, a second one runs `queue-api serve`. */
export async function startPlace(name: PlaceName): Promise<Place> {
  const newDatabase = name === "mongo-2" ? mongoDatabase : temporaryDatabase;
  const databaseUrl = name === "memory" ? "memory:" : await newDatabase();
  const settings = { trustProxy: ["loopback"], checkAnswers: true };
  const { server, store } = await startedServer(databaseUrl, { settings });
  const urls = [server.url];
  if (name.endsWith("-2")) urls.push((await serve(databaseUrl, onTestFinished)).url);
  return { store, targets: await Promise.all(urls.map(targetAt)) };
}

/** Adds an owner of a business, and signs them in at each process. */
export async function signIn({ store, targets }: Place, slug: string): Promise<Visitor[]> {
  const [{ url } = { url: "" }] = targets;
  const visitor = await signedInVisitor({ url, store, now: Date.now }, { slug });
  return targets.map((target) => copyOf(target, visitor));
}

/** The session of a visitor in another browser window, so that the messages of two acts are not mixed up. */
export function sameSession(visitor: Visitor): Visitor {
  return copyOf(visitor, visitor, "queue_api_session");
}
