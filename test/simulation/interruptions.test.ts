import { randomBytes } from "node:crypto";
import {
  importSeed,
  openStore,
  type RunningServer,
  readConfig,
  startServer,
} from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailableError } from "../../server/src/store/store-unavailable-error.ts";
import { FaultServer } from "../sdk/support/fault-server.js";
import { VirtualClock } from "../sdk/support/virtual-clock.js";
import { morning } from "../support/clock.js";
import { interposed } from "../support/interposed.js";
import { clinicSeed } from "../support/seed.js";
import { Stage } from "./stage.js";

const business = "sunrise";

/** A store with a clinic in it, and time that a test holds in its hands. */
async function scene() {
  const clock = new VirtualClock({ start: morning });
  const store = await openStore("memory:", {
    clock: () => Math.floor(clock.now()),
    random: randomBytes,
  });
  const seed = { businesses: [clinicSeed({ slug: business })] };
  await importSeed(store, seed as never, { now: morning, random: randomBytes });
  return { clock, store };
}

let servers: RunningServer[];

beforeEach(() => {
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

/** Starts the service on a port. */
async function serve(store: Parameters<typeof startServer>[0]["store"], port = 0) {
  const server = await startServer({ store, config: { ...readConfig({}), port } });
  servers.push(server);
  return server;
}

describe("a simulation", () => {
  test("waits for a service that is started anew, and tells so once", async () => {
    const { clock, store } = await scene();
    const first = await serve(store);
    const stage = new Stage({ store, clock, url: () => first.url });
    stage.begin({ business });
    await stage.untilMinutes(20);
    const arrived = stage.of("arrived").length;
    await first.close();
    const failures = () => stage.responses.filter(({ status }) => status === null);
    await stage.until(() => failures().length >= 5);
    expect(stage.of("arrived")).toHaveLength(arrived);

    await serve(store, first.port);
    await stage.until(() => stage.of("arrived").length > arrived + 3);
    expect(stage.troubles).toEqual([
      "the API does not answer as it should (connection); trying again",
    ]);
    const tokens = stage.of("arrived").map(({ token }) => token);
    expect(tokens).toEqual(tokens.map((_, index) => `A${index + 1}`)); // no token was made twice
    expect((await stage.end()).heldUpSeconds).toBeGreaterThan(0);
  });

  test("waits for a database that cannot be reached, and tells so once", async () => {
    const { clock, store } = await scene();
    let failures = 0;
    const unreachable = {
      entriesPage: (...page: Parameters<typeof store.entriesPage>) => {
        if (failures-- > 0) throw new StoreUnavailableError("gone");
        return store.entriesPage(...page);
      },
    };
    const server = await serve(store);
    const seen = interposed(store, unreachable);
    const stage = new Stage({ store: seen, clock, url: () => server.url });
    stage.begin({ business });
    await stage.untilMinutes(20);
    failures = 5;
    const served = stage.of("completed").length;
    await stage.until(() => stage.of("completed").length > served + 2);
    expect(stage.troubles).toEqual(["the database cannot be reached; trying again"]);
    await stage.end();
  });

  test("ends at once while it waits for what comes next, and revokes its key", async () => {
    const { clock, store } = await scene();
    const server = await serve(store);
    const stage = new Stage({ store, clock, url: () => server.url });
    stage.begin({ business, seed: 9 });
    await stage.untilMinutes(30);
    const now = clock.now();
    const summary = await stage.end();
    expect(clock.now()).toBe(now);
    expect(clock.pending).toBe(0);
    expect(summary).toMatchObject({ seed: 9, arrived: stage.of("arrived").length });
    const { id } = (await store.businessBySlug(business)) ?? { id: "" };
    const names = (await store.keys(id)).filter(({ revokedAt }) => revokedAt === null);
    expect(names.map(({ name }) => name)).toEqual(["Main"]);
  });

  test("ends within seconds while the service does not answer", async () => {
    const { clock, store } = await scene();
    const server = await serve(store);
    const stage = new Stage({ store, clock, url: () => server.url });
    stage.begin({ business });
    await stage.untilMinutes(10);
    await server.close();
    await stage.until(() => stage.troubles.length > 0);
    const asked = clock.now();
    expect(await stage.end()).toMatchObject({ arrived: stage.of("arrived").length });
    expect(clock.now() - asked).toBeLessThanOrEqual(5_000);
    expect(clock.pending).toBe(0);
  });
});

describe("a simulation that cannot begin", () => {
  const failure = async (url: string) => {
    const { clock, store } = await scene();
    const stage = new Stage({ store, clock, url: () => url });
    const told = String(await stage.failure(stage.begin({ business })));
    const { id } = (await store.businessBySlug(business)) ?? { id: "" };
    const left = (await store.keys(id)).filter(({ revokedAt }) => revokedAt === null);
    expect(left.map(({ name }) => name)).toEqual(["Main"]);
    return told;
  };

  test("says that nothing answers at the address", async () => {
    const { store } = await scene();
    const server = await serve(store);
    await server.close();
    expect(await failure(server.url)).toMatch(/nothing answers at \S+; .*queue-api serve/);
  });

  test("says that what answers there is something else", async () => {
    const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>";
    const other = await FaultServer.start((connection) => connection.write(page));
    expect(await failure(other.url)).toMatch(/is not the Queue API/);
  });

  test("says that the service works on another database", async () => {
    const { store } = await scene();
    const { url } = await serve(store);
    expect(await failure(url)).toMatch(/works on another database.*--database/);
  });
});
