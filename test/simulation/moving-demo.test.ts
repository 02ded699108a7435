import { randomBytes } from "node:crypto";
import {
  auditLog,
  createKey,
  openStore,
  prepareDemo,
  type RunningServer,
  readConfig,
  type Store,
  setQueueFlags,
  startServer,
} from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { messageWithHint } from "../../server/src/cli/error-hints.js";
import { type MovingDemo, moveDemo } from "../../server/src/simulation/moving-demo.ts";
import { SimulationKey } from "../../server/src/simulation/simulation-key.ts";
import { VirtualClock } from "../sdk/support/virtual-clock.js";
import { morning } from "../support/clock.js";
import { Stage, sleeping } from "./stage.js";

describe("the moving demo", () => {
  let clock: VirtualClock;
  let store: Store;
  let server: RunningServer;
  let warnings: string[];
  let events: number;
  let demo: MovingDemo | null;
  let underWay: number;

  beforeEach(async () => {
    clock = new VirtualClock({ start: morning }).install(); // the timers of ky, because the demo uses the built SDK
    underWay = 0;
    vi.stubGlobal("fetch", counted(fetch));
    const now = () => Math.floor(clock.now());
    store = await openStore("memory:", { clock: now, random: randomBytes });
    await prepareDemo(store, now(), randomBytes);
    server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
    warnings = [];
    events = 0;
    demo = null;
  });

  afterEach(async () => {
    await demo?.stop();
    await server.close();
    vi.unstubAllGlobals();
  });

  /** A fetch that counts responses as pending until their bodies have been read. */
  function counted(original: typeof fetch): typeof fetch {
    return async (...request) => {
      underWay += 1;
      try {
        const response = await original(...request);
        return new Response(await response.text(), response);
      } finally {
        underWay -= 1;
      }
    };
  }

  /** Starts the simulation of the demo. `until` advances its time. */
  function move(): void {
    const logger = {
      debug: () => events++,
      warn: (line: string) => warnings.push(line),
      error: (_: object, line: string) => warnings.push(line),
    };
    const options = {
      store,
      url: server.url,
      random: randomBytes,
      clock: clock.now,
      sleep: sleeping(clock),
      explain: messageWithHint,
    };
    demo = moveDemo({ ...options, logger: logger as never });
  }

  const isBusy = () => underWay > 0 || clock.pending === 0;

  /** Advances the time, whenever all parts wait for it, until a condition is true. */
  const until = (holds: () => boolean) => clock.untilTrue(holds, isBusy);

  const business = async () => {
    const found = await store.businesses.bySlug("demo");
    if (!found) throw new Error("there is no demo business");
    return found;
  };

  const simulationKeys = async () =>
    (await store.keys.list((await business()).id)).filter(
      (key) => key.purpose === "simulation" && key.revokedAt === null,
    );

  test("starts within seconds, and has an event every few seconds", async () => {
    move();
    await until(() => events >= 1);
    expect(clock.now() - morning).toBeLessThan(10_000);
    await until(() => clock.now() > morning + 10 * 60_000);
    expect(events).toBeGreaterThan(60); // in ten minutes
    expect(events).toBeLessThan(200);
    expect(warnings).toEqual([]);
  });

  test("calls with its own key, far below its limits", async () => {
    move();
    await until(() => clock.now() > morning + 5 * 60_000);
    const [key] = await simulationKeys();
    const rows = await auditLog(store, "demo", 1000);
    expect(new Set(rows.map(({ keyId }) => keyId))).toEqual(new Set([key?.id]));
    const writes = rows.filter(({ method }) => method === "POST");
    for (let minute = 0; minute < 5; minute++) {
      const from = morning + minute * 60_000;
      const inMinute = writes.filter(({ at }) => at >= from && at < from + 60_000);
      expect(inMinute.length).toBeLessThan(15);
    }
  });

  test("pauses while another simulation of the demo runs, and resumes after it", async () => {
    move();
    await until(() => events >= 5);
    const stage = new Stage({ store, clock, url: () => server.url, othersAreBusy: isBusy });
    stage.begin({ business: "demo", speed: 1 });
    await stage.until(() => stage.of("arrived").length >= 3);
    await until(() => clock.now() > morning + 15 * 60_000);
    const eventsBefore = events;
    await until(() => clock.now() > morning + 20 * 60_000);
    expect(events).toBe(eventsBefore);
    await stage.end();
    await until(() => events > eventsBefore);
    expect(await simulationKeys()).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("resumes after a simulation that started and ended between two of its checks", async () => {
    move();
    await until(() => events >= 5);
    const short = new SimulationKey(store, await business(), randomBytes);
    await short.make();
    await short.revoke();
    while ((await simulationKeys()).length === 0 && warnings.length === 0) {
      const before = clock.now();
      await until(() => clock.now() > before);
    }
    const eventsBefore = events;
    await until(() => events > eventsBefore + 5 || warnings.length > 0);
    expect(warnings).toEqual([]);
    expect(await simulationKeys()).toHaveLength(1);
  });

  test("stops when a person has revoked its key, and a simulation began and ended since", async () => {
    move();
    await until(() => events >= 5);
    const [own] = await simulationKeys();
    await store.keys.revoke((await business()).id, own?.id ?? "", clock.now() - 1);
    const short = new SimulationKey(store, await business(), randomBytes);
    await short.make();
    await short.revoke();
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([
      "the demo simulation has stopped: the key of the simulation was revoked",
    ]);
    expect(await simulationKeys()).toEqual([]);
  });

  test("takes over from a simulation that was killed, within half an hour of its last call", async () => {
    move();
    await until(() => events >= 5);
    const options = { name: "Simulation", scopes: ["queue:read" as const] };
    const context = { now: clock.now(), random: randomBytes, purpose: "simulation" as const };
    const [own] = await simulationKeys();
    await createKey(store, "demo", options, context);
    await store.keys.revoke((await business()).id, own?.id ?? "", clock.now());
    await until(() => clock.now() > morning + 15 * 60_000);
    const eventsBefore = events;
    await until(() => events > eventsBefore);
    expect(clock.now()).toBeLessThan(morning + 30 * 60_000);
    expect(await simulationKeys()).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("stops in a business that is not a sandbox", async () => {
    await store.businesses.change((await business()).id, { sandbox: false });
    move();
    await clock.untilTrue(
      () => warnings.length > 0,
      () => true,
    );
    expect(warnings).toEqual([
      expect.stringMatching(/^the demo simulation has stopped: .* is not a sandbox/),
    ]);
    expect(await simulationKeys()).toEqual([]);
  });

  test("reports in one line why it stopped", async () => {
    const { id } = await business();
    for (const queue of await store.queues.list(id)) {
      await setQueueFlags(store, queue.id, { isTokenCreationPaused: true });
    }
    move();
    await clock.untilTrue(
      () => warnings.length > 0,
      () => true,
    );
    expect(warnings).toEqual([
      "the demo simulation has stopped: no queue of the business takes tokens; open one with: queue-api queue open QUEUE_ID",
    ]);
  });

  test("stops after pending requests, and leaves no key", async () => {
    move();
    await until(() => events >= 5);
    await demo?.stop();
    expect(clock.pending).toBe(0);
    expect(await simulationKeys()).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
