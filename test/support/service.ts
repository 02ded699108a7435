import { randomBytes } from "node:crypto";
import {
  type Config,
  openStore,
  Passwords,
  readConfig,
  type Store,
  startServer,
} from "@queue-api/server";
import { afterAll, type TestContext } from "vitest";
import { Client, request, type Target } from "./client.js";
import { Clinic } from "./clinic.js";
import { MovableClock, morning } from "./clock.js";
import { Conformance } from "./conformance.js";
import { temporaryDatabase } from "./database.js";
import { interposed, type Operations } from "./interposed.js";
import { emptyMongoDatabase } from "./mongo.js";
import { type Owner, ownerByCommand, ownerOf } from "./owner.js";
import { type BusinessSeed, clinicSeed } from "./seed.js";

/**
 * A running service with its owner's side. By default it is started in this process on a fresh store,
 * with a clock that tests move. `TEST_STORE` names the store: `sqlite` (default), `memory`, `mongo`, or the URL
 * of a database. With `TEST_TARGET=mock` it is the one of the test kit, and `fetch` reaches it by way of
 * msw, as in the tests of whoever uses the kit. With `TEST_BASE_URL` and `TEST_DATABASE_URL` the tests
 * run against a server that runs already (with `TRUST_PROXY=loopback`); what needs its clock or its
 * inside is then skipped, and says so.
 */
export interface Service extends Target {
  readonly owner: Owner;
  /** Null when the clock is not ours to move. */
  readonly clock: MovableClock | null;
  /** Null when the store is not ours to look into. */
  readonly store: Store | null;
  /** The service's time. */
  now(): number;
  /** Makes a business with ids and keys of its own. */
  clinic(changes?: BusinessSeed): Promise<Clinic>;
  /** A caller without a key, from an address that nobody else calls from. */
  stranger(): Client;
}

export interface TestServiceOptions {
  /** Steps of the store that a test stands in front of; only where the service is started here. */
  readonly interpose?: (store: Store) => Operations;
  /** Settings other than those of the suite; only where the service is started here. */
  readonly settings?: Partial<Config>;
  /** What hashes passwords; only where the service is started here. Default: cheap ones. */
  readonly passwords?: Passwords;
  /** The store where `TEST_STORE` names none. Default: sqlite. */
  readonly usualStore?: "sqlite" | "memory";
}

/** Starts (or finds) the service for a test file, and stops it after the file's last test. */
export async function testService(options: TestServiceOptions = {}): Promise<Service> {
  const { TEST_TARGET, TEST_BASE_URL: baseUrl, TEST_DATABASE_URL: databaseUrl } = process.env;
  if (TEST_TARGET === "mock") return mockedHere(options);
  if (!baseUrl) return startedHere(options);
  if (!databaseUrl)
    throw new Error("TEST_BASE_URL needs TEST_DATABASE_URL, to arrange what tests need");
  return serviceAt(baseUrl.replace(/\/+$/, ""), ownerByCommand(databaseUrl), null, null);
}

/** What a password costs here: next to nothing. Its real cost has a test of its own. */
const cheapPasswords = { ln: 4, r: 8, p: 1 };

async function startedHere({
  interpose,
  settings,
  passwords = new Passwords({ random: randomBytes, cost: cheapPasswords }),
  usualStore = "sqlite",
}: TestServiceOptions): Promise<Service> {
  const clock = new MovableClock(morning);
  const database = await freshDatabase(usualStore);
  const store = await openStore(database.url, { clock: clock.read, random: randomBytes });
  const config = {
    ...readConfig({}),
    port: 0,
    databaseUrl: database.url,
    trustProxy: ["loopback"],
    logLevel: "silent",
    checkAnswers: true,
    ...settings,
  };
  const seen = interpose ? interposed(store, interpose(store)) : store;
  const server = await startServer({ store: seen, config, random: randomBytes, passwords });
  afterAll(async () => {
    await server.close();
    await store.close();
    await database.remove();
  });
  return serviceAt(server.url, ownerOf(store, clock.read), clock, store);
}

async function mockedHere({ interpose }: TestServiceOptions): Promise<Service> {
  const { mockUnderMsw } = await import("./mocked.js");
  const clock = new MovableClock(morning);
  const mock = mockUnderMsw({
    seed: { businesses: [] },
    clock: clock.read,
    trustProxy: ["loopback"],
    checkAnswers: true,
    ...(interpose && { interpose: (store: Store) => interposed(store, interpose(store)) }),
  });
  const store = mock.store as Store;
  return serviceAt(mock.baseUrl, ownerOf(store, clock.read), clock, store);
}

/** A service by its address, with the owner's side that goes with it. */
export async function serviceAt(
  url: string,
  owner: Owner,
  clock: MovableClock | null,
  store: Store | null,
): Promise<Service> {
  const target = await targetAt(url);
  return {
    ...target,
    owner,
    clock,
    store,
    now: clock?.read ?? Date.now,
    async clinic(changes = {}) {
      const seed = clinicSeed(changes);
      return new Clinic(target, seed.slug, await owner.seed(seed), ownAddress());
    },
    stranger: () => new Client(target, null, ownAddress()),
  };
}

/** A service by its address, with the description it serves to hold its answers against. */
export async function targetAt(url: string): Promise<Target> {
  const document = await request({ url, conformance: null }, "GET", "/v1/openapi.json");
  return { url, conformance: new Conformance(document.json) };
}

/** An empty database of the kind that `TEST_STORE` names, else the usual one. */
export async function freshDatabase(usual = "sqlite"): ReturnType<typeof temporaryDatabase> {
  const { TEST_STORE = usual } = process.env;
  if (TEST_STORE === "sqlite") return temporaryDatabase();
  if (TEST_STORE === "mongo") return emptyMongoDatabase();
  return { url: TEST_STORE === "memory" ? "memory:" : TEST_STORE, remove: async () => {} };
}

/** An address that no other test calls from, so that failed sign-ins are counted for one test alone. */
function ownAddress(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}

/** What of a service only the tests that started it can reach. */
export interface Inside {
  readonly clock: MovableClock;
  readonly store: Store;
}

/** A test that reaches inside; skipped, with the reason, where the service runs elsewhere. */
export function withInside(service: Service, body: (inside: Inside) => Promise<void>) {
  return async ({ skip }: TestContext): Promise<void> => {
    const { clock, store } = service;
    if (!clock || !store) return skip("this server runs elsewhere: nobody can reach inside");
    await body({ clock, store });
  };
}

/** A test that moves the clock; skipped, with the reason, where the service runs elsewhere. */
export function withClock(service: Service, body: (clock: MovableClock) => Promise<void>) {
  return async ({ skip }: TestContext): Promise<void> => {
    const { clock } = service;
    if (!clock) return skip("this server runs elsewhere: its clock cannot be moved");
    await body(clock);
  };
}
