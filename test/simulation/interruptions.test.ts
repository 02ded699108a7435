import { randomBytes } from "node:crypto";
import {
  importSeed,
  openStore,
  type RunningServer,
  readConfig,
  startServer,
} from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageWithHint } from "../../server/src/cli/error-hints.js";
import type { SimulationError } from "../../server/src/simulation/failures.ts";
import { StoreUnavailableError } from "../../server/src/store/store-unavailable-error.ts";
import { FaultServer } from "../sdk/support/fault-server.js";
import { VirtualClock } from "../sdk/support/virtual-clock.js";
import { morning } from "../support/clock.js";
import { gate } from "../support/gate.js";
import { interposed } from "../support/interposed.js";
import { clinicSeed } from "../support/seed.js";
import { Stage } from "./stage.js";

const business = "sunrise";

/** A store with a clinic, and a clock that a test controls. */
async function scene() {
  const clock = new VirtualClock({ start: morning });
  const store = await openStore("memory:", {
    clock: () => Math.floor(clock.now()),
    random: randomBytes,
  });
  const seed = { businesses: [clinicSeed({ slug: business, sandbox: true })] };
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
  test("waits for a service that restarts, and reports it once", async () => {
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
    expect(stage.outages).toEqual(["the API does not respond correctly (connection); retrying"]);
    const tokens = stage.of("arrived").map(({ token }) => token);
    expect(tokens).toEqual(tokens.map((_, index) => `A${index + 1}`)); // no token was created twice
    expect((await stage.end()).heldUpSeconds).toBeGreaterThan(0);
  });

  test("waits for a database that cannot be reached, and reports it once", async () => {
    const { clock, store } = await scene();
    let failures = 0;
    const unreachable = {
      entries: {
        page: (...page: Parameters<typeof store.entries.page>) => {
          if (failures-- > 0) throw new StoreUnavailableError("gone");
          return store.entries.page(...page);
        },
      },
    };
    const server = await serve(store);
    const unreliableStore = interposed(store, unreachable);
    const stage = new Stage({ store: unreliableStore, clock, url: () => server.url });
    stage.begin({ business });
    await stage.untilMinutes(20);
    failures = 5;
    const served = stage.of("completed").length;
    await stage.until(() => stage.of("completed").length > served + 2);
    expect(stage.outages).toEqual(["the database cannot be reached; retrying"]);
    await stage.end();
  });

  test("ends at once while it waits for the next event, and revokes its key", async () => {
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
    const { id } = (await store.businesses.bySlug(business)) ?? { id: "" };
    const names = (await store.keys.list(id)).filter(({ revokedAt }) => revokedAt === null);
    expect(names.map(({ name }) => name)).toEqual(["Main"]);
  });

  test("ends at once while the service does not respond", async () => {
    const { clock, store } = await scene();
    const server = await serve(store);
    const stage = new Stage({ store, clock, url: () => server.url });
    stage.begin({ business });
    await stage.untilMinutes(10);
    await server.close();
    await stage.until(() => stage.outages.length > 0);
    const requestedAt = clock.now();
    expect(await stage.end()).toMatchObject({ arrived: stage.of("arrived").length });
    expect(clock.now()).toBe(requestedAt);
    expect(clock.pending).toBe(0);
  });

  test("ends at once while a call waits for the rate limit of its key", async () => {
    const { clock, store } = await scene();
    const server = await serve(store);
    const stage = new Stage({ store, clock, url: () => server.url });
    stage.begin({ business, speed: 3_600 });
    let late = false;
    clock.setTimer(() => {
      late = true;
    }, 50_000);
    await stage.until(() => late); // its writes of this minute are used up
    expect(stage.responses.filter(({ method }) => method === "POST")).toHaveLength(30);
    const requestedAt = clock.now();
    await stage.end();
    expect(clock.now()).toBe(requestedAt);
  });

  /** A simulation with a pending creation. */
  async function heldUp() {
    const { clock, store } = await scene();
    const creation = gate();
    const delayedStore = interposed(store, {
      entries: {
        issue: async (...request: Parameters<typeof store.entries.issue>) => {
          await creation.pass();
          return store.entries.issue(...request);
        },
      },
    });
    const server = await serve(delayedStore);
    let hanging = 0;
    const stage = new Stage({ store, clock, url: () => server.url, hanging: () => hanging });
    stage.begin({ business });
    await stage.untilMinutes(10);
    const before = stage.of("arrived").length;
    creation.close();
    creation.reached(1).then(() => {
      hanging = 1;
    });
    await stage.until(() => hanging > 0);
    const answer = () => {
      hanging = 0;
      creation.open();
    };
    return { stage, clock, answer, before, requestedAt: clock.now() };
  }

  test("waits for the response to a pending request before it ends", async () => {
    const { stage, answer, before } = await heldUp();
    const ended = stage.end();
    answer();
    expect(await ended).toMatchObject({ arrived: before + 1 });
  });

  test("cuts a request without a response within five seconds", async () => {
    const { stage, answer, before, clock, requestedAt } = await heldUp();
    expect(await stage.end()).toMatchObject({ arrived: before });
    expect(clock.now() - requestedAt).toBe(5_000);
    answer();
  });
});

describe("a simulation that cannot start", () => {
  const failure = async (url: string) => {
    const { clock, store } = await scene();
    const stage = new Stage({ store, clock, url: () => url });
    const error = await stage.failure(stage.begin({ business }));
    const { id } = (await store.businesses.bySlug(business)) ?? { id: "" };
    const left = (await store.keys.list(id)).filter(({ revokedAt }) => revokedAt === null);
    expect(left.map(({ name }) => name)).toEqual(["Main"]);
    return messageWithHint(error as SimulationError);
  };

  test("reports that nothing responds at the address", async () => {
    const { store } = await scene();
    const server = await serve(store);
    await server.close();
    expect(await failure(server.url)).toMatch(/nothing answers at \S+; .*queue-api serve/);
  });

  test("reports that another service responds at the address", async () => {
    const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>";
    const other = await FaultServer.start((connection) => connection.write(page));
    expect(await failure(other.url)).toMatch(/is not the Queue API/);
  });

  test("reports that the service uses another database", async () => {
    const { store } = await scene();
    const { url } = await serve(store);
    expect(await failure(url)).toMatch(/uses another database.*--database/);
  });
});
