import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { appointmentStatuses, entryStatuses } from "@queue-api/contract";
import { createKey, openStore, prepareDemo, type Store } from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";
import { everyPage } from "../../server/src/operations/every-page.js";
import { Passwords } from "../../server/src/owner/password.js";
import type { EntryTimes } from "../../server/src/rules/statistics.js";
import { prepareDemoOwner } from "../../server/src/simulation/demo.js";
import { interposed } from "../support/interposed.js";
import { completed } from "../support/run.js";
import { type Cli, expectFailure, newCli, serve, startCommand } from "./command.js";
import { sunrise } from "./fixtures.js";

describe("serve --demo", () => {
  let cli: Cli;

  beforeEach(async () => {
    cli = await newCli();
  });

  const keyIn = (printed: string) => /svc_live_\w+/.exec(printed)?.[0] ?? "";

  it("prints the base URL, a key, and three curl commands that work", async () => {
    const { printed, url } = await serve(["--demo=still"], { DATABASE_URL: cli.database });
    const [listening, empty, base, key, dashboard, owner, ...rest] = printed.trimEnd().split("\n");
    expect(listening).toBe(`listening on ${url}`);
    expect(empty).toBe("");
    expect(base).toContain(url);
    expect(key).toContain(keyIn(printed));
    expect(dashboard).toContain(`${url}/dashboard`);
    expect(owner).toMatch(/ \S+@\S+ with the password \w{16}$/);

    const lines = rest.filter((line) => line.startsWith("curl "));
    const answers = [];
    for (const line of lines) {
      const { stdout } = await completed("sh", ["-c", line]);
      answers.push(JSON.parse(stdout));
    }
    const [me, waiting, created] = answers;
    expect(me.data.business.name).toBe("Sunrise Clinic");
    expect(waiting.data.length).toBeGreaterThan(1);
    expect(new Set(waiting.data.map((entry: { status: string }) => entry.status))).toEqual(
      new Set(["WAITING"]),
    );
    expect(created.data).toMatchObject({ status: "WAITING", position: waiting.data.length + 1 });
  });

  it("prints one document with --json, and keeps its data and its key after a restart, but not the password", async () => {
    const start = () => serve(["--demo=still", "--json"], { DATABASE_URL: cli.database });
    const restart = async ({ child, ended }: Awaited<ReturnType<typeof start>>) => {
      child.kill("SIGTERM");
      await ended;
      return start();
    };
    const first = await start();
    const key = keyIn(first.printed);
    expect(JSON.parse(first.printed)).toEqual({
      url: first.url,
      baseUrl: first.url,
      key,
      dashboard: {
        url: `${first.url}/dashboard`,
        email: "owner@demo.example",
        password: expect.stringMatching(/^\w{16}$/),
      },
      curl: Array(3).fill(expect.stringMatching(/^curl /)),
    });
    expect(await signIn(first.printed)).toBe("/dashboard");
    const file = `${cli.database.slice("file:".length)}.demo-key`;
    expect(await readFile(file, "utf8")).toBe(`${key}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await cli.json(["queue", "list", "--business", "demo"]);

    const second = await restart(first);
    expect(await cli.json(["queue", "list", "--business", "demo"])).toEqual(before);
    expect(keyIn(second.printed)).toBe(key);
    const headers = { Authorization: `Bearer ${key}` };
    expect(await fetch(`${second.url}/v1/me`, { headers })).toMatchObject({ status: 200 });
    expect(await signIn(second.printed)).toBe("/dashboard");
    const stale = JSON.parse(second.printed);
    stale.dashboard.password = JSON.parse(first.printed).dashboard.password;
    expect(await signIn(JSON.stringify(stale))).toBe(422);

    await cli.run(["key", "revoke", key.split("_")[2] ?? ""]);
    const third = keyIn((await restart(second)).printed);
    expect(third).not.toBe(key); // one that no longer works is replaced
    expect(await readFile(file, "utf8")).toBe(`${third}\n`);
  });

  it("refuses a business of the demo's slug that is no sandbox, which is served without --demo", async () => {
    const [clinic] = sunrise.businesses;
    const env = { DATABASE_URL: cli.database };
    await cli.seed({ businesses: [{ ...clinic, slug: "demo", name: "Real Motors" }] });
    const everything = () =>
      Promise.all([
        cli.json(["business", "show", "demo"]),
        cli.json(["key", "list", "--business", "demo"]),
        cli.json(["account", "list", "--business", "demo"]),
      ]);
    const before = await everything();
    for (const flag of ["--demo", "--demo=still"])
      expectFailure(
        await startCommand(["serve", "--port", "0", flag], env).ended,
        1,
        /not a sandbox.*--database, or start without --demo.*business set demo --sandbox on$/,
      );
    expect(await everything()).toEqual(before);
    expect((await serve([], env)).printed).not.toContain("svc_live_");
    await cli.run(["business", "set", "demo", "--sandbox", "on"]);
    expect((await serve(["--demo=still"], env)).printed).toContain("owner@demo.example");
  });
});

/** Signs in to the dashboard with the printed lines. Returns the redirect, or the status. */
async function signIn(printed: string): Promise<string | number> {
  const { url, email, password } = JSON.parse(printed).dashboard;
  const answer = await fetch(`${url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: new URL(url).origin },
    body: new URLSearchParams({ email, password }),
  });
  return answer.headers.get("Location") ?? answer.status;
}

it("the owner of the demo is the same when another server adds it in the meantime", async () => {
  const context = { now: Date.now(), random: randomBytes };
  const store = await openStore("memory:", { random: randomBytes });
  await prepareDemo(store, context.now, randomBytes);
  const passwords = new Passwords({ random: randomBytes, cost: { ln: 4, r: 8, p: 1 } });
  let isFirst = true;
  const late = interposed(store, {
    accounts: {
      list: async (businessId) => {
        if (!isFirst) return store.accounts.list(businessId);
        isFirst = false;
        await prepareDemoOwner(store, { ...context, passwords });
        return [];
      },
    },
  });
  const { email, password } = await prepareDemoOwner(late, { ...context, passwords });
  const [owner] = await store.accounts.byEmail(email);
  expect(await passwords.matches(password, owner?.passwordHash ?? null)).toBe(true);
});

describe("the demo business", () => {
  const now = Date.parse("2026-11-21T06:00:00Z");
  const day = 86_400_000;
  let store: Store;
  let business: NonNullable<Awaited<ReturnType<Store["businesses"]["find"]>>>;

  beforeEach(async () => {
    store = await openStore("memory:", { clock: () => now, random: randomBytes });
    await prepareDemo(store, now, randomBytes);
    const found = await store.businesses.find("slug", "demo");
    if (!found) throw new Error("there is no demo business");
    business = found;
  });

  const whole = { limit: 100, after: null };

  function itemsOf<Item>(page: string | { readonly items: readonly Item[] }): readonly Item[] {
    if (typeof page === "string") throw new Error(page);
    return page.items;
  }

  async function entriesOn(date: string) {
    const pages = (await store.queues.list(business.id)).map((queue) =>
      store.entries.page(business.id, queue.id, date, whole),
    );
    return (await Promise.all(pages)).flatMap(itemsOf).map(({ entry }) => entry);
  }

  const visitsOn = async (date: string) =>
    itemsOf(await store.appointments.page(business.id, date, whole)).map(
      ({ appointment }) => appointment,
    );

  it("is a sandbox with something in each state that a program can meet, and fictional people", async () => {
    expect(business.sandbox).toBe(true);
    const entries = await entriesOn("2026-11-21");
    const visits = await visitsOn("2026-11-21");
    expect(new Set(entries.map(({ status }) => status))).toEqual(new Set(entryStatuses));
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set(appointmentStatuses));
    expect(new Set(entries.map(({ priority }) => priority))).toEqual(new Set([true, false]));
    expect(entries.some(({ serviceId }) => serviceId === null)).toBe(true);
    expect((await entriesOn("2026-11-20")).length).toBeGreaterThan(0);
    expect((await visitsOn("2026-11-22")).length).toBeGreaterThan(0);
    const queues = await store.queues.list(business.id);
    const states = queues.map((queue) => `${queue.isActive} ${queue.isTokenCreationPaused}`);
    const open = Array(3).fill("true false");
    expect(states.toSorted()).toEqual(["false false", ...open, "true true"]);
    const services = await store.services.list(business.id);
    for (const known of [true, false]) {
      expect(services.some(({ price }) => (price !== null) === known)).toBe(true);
      expect(services.some((one) => (one.baseTimeMinutes !== null) === known)).toBe(true);
      expect(services.some(({ active }) => active === known)).toBe(true);
    }
    for (const { customerPhone } of [...entries, ...visits]) {
      expect(customerPhone).toMatch(/^9198000000\d\d$/);
    }
  });

  const history = async () => {
    const days = { first: "2026-10-25", last: "2026-11-20" };
    const found: EntryTimes[] = [];
    const times = everyPage((after) => store.statistics.entryTimes(business.id, days, null, after));
    for await (const some of times) found.push(...some);
    return found.toSorted((a, b) => a.issuedAt - b.issuedAt);
  };

  it("has four weeks of history: finished entries on each day except Sundays", async () => {
    const entries = await history();
    const sundays = ["2026-10-25", "2026-11-01", "2026-11-08", "2026-11-15"];
    const weekdays = Array.from({ length: 27 }, (_, at) =>
      new Date(Date.parse("2026-10-25") + at * day).toISOString().slice(0, 10),
    ).filter((date) => !sundays.includes(date));
    expect([...new Set(entries.map(({ date }) => date))].toSorted()).toEqual(weekdays);
    expect(entries.length).toBeGreaterThan(1_000);
    expect(new Set(entries.map(({ status }) => status))).toEqual(
      new Set(["COMPLETED", "CANCELED", "NO_SHOW"]),
    );
    const called = entries.filter(({ startedAt }) => startedAt !== null);
    const waits = called.map(({ issuedAt, startedAt }) => Number(startedAt) - issuedAt);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waits)).toBeGreaterThan(20 * 60_000); // there were peak hours
  });

  it("keeps the stored key only while it belongs to the demo and works tomorrow", async () => {
    const { key } = await prepareDemo(store, now, randomBytes);
    const again = async (keptKey: string, at = now) =>
      (await prepareDemo(store, at, randomBytes, { keptKey })).key;
    expect(await again(key)).toBe(key);
    expect(await again(`${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`)).not.toBe(key);
    expect(await again("svc_live_")).not.toBe(key);
    expect(await again(key, now + 89.5 * day)).not.toBe(key); // it expires after 90 days
    const { key: own } = await addKey("Kiosk");
    expect(await again(own)).not.toBe(own);
  });

  const activeKeys = async () =>
    (await store.keys.list(business.id)).filter(({ revokedAt }) => revokedAt === null);

  const prepare = (time: number) => prepareDemo(store, now + time, randomBytes);
  const addKey = async (name: string) => {
    const options = { name, scopes: ["queue:read" as const] };
    return createKey(store, "demo", options, { now, random: randomBytes });
  };

  it("keeps its last three keys, because other servers can have printed them, and those of its owner", async () => {
    const { record } = await addKey("Demo");
    const keys: string[] = [];
    for (let time = 1; time <= 12; time++) keys.push((await prepare(time)).key);
    const ids = (await activeKeys()).map(({ id }) => id);
    const last = keys.slice(-3).map((key) => key.split("_")[2]);
    expect(ids.toSorted()).toEqual([record.id, ...last].toSorted());
    for (let own = 1; own <= 6; own++) await addKey(`Kiosk ${own}`);
    await prepare(13);
    expect(await activeKeys()).toHaveLength(10);
  });

  it("gets new entries on a later day, in the queues that accept tokens, and keeps the earlier ones", async () => {
    const before = await entriesOn("2026-11-21");
    await prepare(1_000);
    expect(await entriesOn("2026-11-21")).toEqual(before);
    await prepare(3 * day);

    const later = await entriesOn("2026-11-24");
    expect(new Set(later.map(({ status }) => status))).toEqual(new Set(entryStatuses));
    expect(new Set(later.map(({ queueId }) => queueId)).size).toBe(3);
    for (const { issuedAt, startedAt, completedAt } of later) {
      const times = [issuedAt, startedAt ?? issuedAt, completedAt ?? now + 3 * day];
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
    expect(await entriesOn("2026-11-21")).toEqual(before);
  });
});
