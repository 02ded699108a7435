import { randomBytes } from "node:crypto";
import {
  addAccount,
  importSeed,
  openStore,
  Passwords,
  readConfig,
  startServer,
} from "@queue-api/server";
import { setPassword, Visitor } from "../dashboard/support/visitor.js";
import type { Target } from "../support/client.js";
import { temporaryDatabase } from "../support/database.js";
import { mongoDatabase } from "../support/mongo.js";
import { serve } from "../support/process.js";
import type { BusinessSeed, SeededBusiness } from "../support/seed.js";
import { targetAt } from "../support/service.js";

/** A store, and the number of processes that serve it. */
export type PlaceName = "memory" | "sqlite" | "sqlite-2" | "mongo-2";

/** The running service, one target for each process. The model reaches it by HTTP only. */
export interface Place {
  readonly targets: readonly Target[];
  /** Imports businesses, as `queue-api seed` does. */
  seed(businesses: readonly BusinessSeed[]): Promise<Readonly<Record<string, SeededBusiness>>>;
  /** A new owner of a business, signed in at each process. */
  signIn(slug: string): Promise<readonly Visitor[]>;
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
  const random = randomBytes;
  const databaseUrl = await databases[name]();
  const store = await openStore(databaseUrl, { random });
  atEnd(() => store.close());
  const passwords = new Passwords({ random, cost: { ln: 4, r: 8, p: 1 } });
  const settings = { port: 0, trustProxy: ["loopback"], checkAnswers: true };
  const config = { ...readConfig({}), ...settings, databaseUrl };
  const server = await startServer({ store, config, random, passwords });
  atEnd(() => server.close());
  const urls = [server.url];
  if (name.endsWith("-2")) urls.push((await serve(databaseUrl, atEnd)).url);

  return {
    targets: await Promise.all(urls.map(targetAt)),
    async seed(businesses) {
      const context = { now: Date.now(), random, replace: false };
      const file = { businesses: [...businesses] };
      return (await importSeed(store, file, context)).businesses;
    },
    async signIn(slug) {
      const email = `owner@${slug}.example`;
      const { token } = await addAccount(store, slug, email, { now: Date.now(), random });
      const visitor = new Visitor(server.url, "10.255.0.1");
      const { status } = await setPassword(visitor, token);
      if (status !== 303) throw new Error(`the owner of ${slug} was not signed in: ${status}`);
      await visitor.get("/dashboard/account");
      return urls.map((url) => sameSession(visitor, url));
    },
  };
}

/** The session of a visitor in another browser window, so that messages of two acts are not mixed up. */
export function sameSession({ cookies, formToken, address }: Visitor, url: string): Visitor {
  const copy = new Visitor(url, address);
  const session = cookies.get("queue_api_session");
  if (session !== undefined) copy.cookies.set("queue_api_session", session);
  copy.formToken = formToken;
  return copy;
}
