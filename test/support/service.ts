import { randomBytes } from "node:crypto";
import {
  type Config,
  openStore,
  Passwords,
  readConfig,
  type Store,
  startServer,
} from "@queue-api/server";
import type { Logger } from "pino";
import { atEnd } from "./at-end.js";
import { Client, request, type Target } from "./client.js";
import { seededClinic } from "./clinic.js";
import { MovableClock, morning } from "./clock.js";
import { Conformance } from "./conformance.js";
import { temporaryDatabase } from "./database.js";
import { interposed, type Operations } from "./interposed.js";
import { emptyMongoDatabase } from "./mongo.js";
import { ownerOf } from "./owner.js";
import type { BusinessSeed } from "./seed.js";

export interface TestServiceOptions {
  /** Store operations that a test replaces. */
  readonly interpose?: (store: Store) => Operations;
  readonly settings?: Partial<Config>;
  /** The password hashing. Default: cheap hashes. */
  readonly passwords?: Passwords;
  readonly logger?: Logger;
  /** The store if `TEST_STORE` is not set. Default: sqlite. */
  readonly usualStore?: "sqlite" | "memory";
}

/**
 * Starts the service for a test file, and stops it after the file's last test. It runs in this process on a new store,
 * with a clock that tests move. `TEST_STORE` names the store: `sqlite` (default), `memory`, `mongo`, or the URL of a
 * database. With `TEST_TARGET=mock` it is the mock of the test kit, which `fetch` reaches through msw.
 */
export function testService(options: TestServiceOptions = {}): Promise<Service> {
  return process.env.TEST_TARGET === "mock" ? mockedHere(options) : startedHere(options);
}

/** Cheap hashing parameters. Another test covers the real ones. */
const cheapPasswords = { ln: 4, r: 8, p: 1 };

async function startedHere({
  settings,
  usualStore = "sqlite",
  ...options
}: TestServiceOptions): Promise<Service> {
  const clock = new MovableClock(morning);
  const { server, store } = await startedServer(await freshDatabase(usualStore), {
    clock: clock.read,
    settings: { trustProxy: ["loopback"], logLevel: "silent", checkAnswers: true, ...settings },
    ...options,
  });
  return serviceAt(server.url, store, clock);
}

type ServerOptions = Omit<Parameters<typeof startServer>[0], "store" | "config"> &
  Pick<TestServiceOptions, "interpose" | "settings"> & { readonly clock?: () => number };

/** A server on a database, as an operator runs it. It ends with the test or the file. */
export async function startedServer(
  databaseUrl: string,
  { clock = Date.now, interpose, settings, ...options }: ServerOptions = {},
) {
  const store = await openStore(databaseUrl, { clock, random: randomBytes });
  const config = { ...readConfig({}), port: 0, databaseUrl, ...settings };
  const seen = interpose ? interposed(store, interpose) : store;
  const passwords = new Passwords({ random: randomBytes, cost: cheapPasswords });
  const own = { store: seen, config, random: randomBytes, passwords };
  const server = await startServer({ ...own, ...options });
  atEnd(async () => {
    await server.close();
    await store.close();
  });
  return { server, store };
}

async function mockedHere({ interpose }: TestServiceOptions): Promise<Service> {
  const { mockUnderMsw } = await import("./mocked.js");
  const clock = new MovableClock(morning);
  const mock = mockUnderMsw(clock.read, {
    settings: { trustProxy: ["loopback"], checkAnswers: true },
    ...(interpose && { interpose: (store) => interposed(store, interpose) }),
  });
  return serviceAt(mock.baseUrl, mock.store, clock);
}

/** A running service with the actions of its owner. */
export type Service = Awaited<ReturnType<typeof serviceAt>>;

/** A service at an address, with the actions of its owner. */
export async function serviceAt(url: string, store: Store, clock: MovableClock) {
  const target = await targetAt(url);
  const owner = ownerOf(store, clock.read);
  return {
    ...target,
    owner,
    clock,
    store,
    now: clock.read,
    /** Creates a business with its own ids and keys. */
    clinic: (changes: BusinessSeed = {}) => seededClinic(target, owner, changes, ownAddress()),
    /** A client without a key, at an address that no other client uses. */
    stranger: () => new Client(target, null, ownAddress()),
  };
}

let served: Promise<Conformance> | undefined;

/**
 * A service at an address, with the OpenAPI document to check responses. All services of a worker serve the same
 * document, so one of them is asked.
 */
export async function targetAt(url: string): Promise<Target> {
  served ??= request({ url, conformance: null }, "GET", "/v1/openapi.json").then(
    ({ json }) => new Conformance(json),
  );
  return { url, conformance: await served };
}

/** The URL of an empty database of the kind that `TEST_STORE` names, or of the usual kind. */
export async function freshDatabase(usual = "sqlite"): Promise<string> {
  const { TEST_STORE = usual } = process.env;
  if (TEST_STORE === "sqlite") return temporaryDatabase();
  if (TEST_STORE === "mongo") return emptyMongoDatabase();
  return TEST_STORE === "memory" ? "memory:" : TEST_STORE;
}

/** An address that no other test uses, so that its failed sign-ins belong to one test. */
function ownAddress(): string {
  return `10.${[...randomBytes(3)].join(".")}`;
}
