import { randomBytes } from "node:crypto";
import { addAccount, Passwords, type Store } from "@queue-api/server";
import { onTestFinished } from "vitest";
import { copyOf, setPassword, type Visitor, visitorOf } from "../dashboard/support/visitor.js";
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
  const passwords = new Passwords({ random: randomBytes, cost: { ln: 4, r: 8, p: 1 } });
  const settings = { trustProxy: ["loopback"], checkAnswers: true };
  const { server, store } = await startedServer(databaseUrl, { settings, passwords });
  const urls = [server.url];
  if (name.endsWith("-2")) urls.push((await serve(databaseUrl, onTestFinished)).url);
  return { store, targets: await Promise.all(urls.map(targetAt)) };
}

/** Adds an owner of a business, and signs them in at each process. */
export async function signIn({ store, targets }: Place, slug: string): Promise<Visitor[]> {
  const [first] = targets;
  if (!first) throw new Error("no process runs");
  const context = { now: Date.now(), random: randomBytes };
  const { token } = await addAccount(store, slug, `owner@${slug}.example`, context);
  const visitor = visitorOf(first);
  const { status } = await setPassword(visitor, token);
  if (status !== 303) throw new Error(`the owner of ${slug} was not signed in: ${status}`);
  await visitor.get("/dashboard/account");
  return targets.map(({ url }) => sameSession(visitor, url));
}

/** The session of a visitor in another browser window, so that the messages of two acts are not mixed up. */
export function sameSession(visitor: Visitor, url = visitor.url): Visitor {
  return copyOf({ url }, visitor, "queue_api_session");
}
