import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { password, signIn, type TestOwner, Visitor } from "../dashboard/support/visitor.js";
import { customer1 } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { queueApi } from "../support/command.js";
import { withDatabase } from "../support/mongo.js";
import { ownerOf } from "../support/owner.js";
import { mainKey, wideKey } from "../support/seed.js";
import { type Instances, type SharedClinic, startInstances } from "./support/instances.js";

/** Starts instances with these clocks for all tests of a block. */
function instancesWith(clocks: readonly number[]): () => Instances {
  let instances: Instances | null = null;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    instances = await startInstances(clocks, (end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => {
    if (!instances) throw new Error("the instances were not started");
    return instances;
  };
}

/** Counts the responses with each status. */
function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Sends `count` concurrent requests. */
async function atOnce<Result>(
  count: number,
  send: (number: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => send(number)));
}

/** A browser that uses the given instance. */
function browserAt({ servers }: Instances, instance: number, address: string): Visitor {
  return new Visitor(servers[instance]?.url ?? "", address);
}

/** Adds an owner of the clinic, and sets the password on the first instance. */
async function ownerOfClinic(
  instances: Instances,
  { clinic: { slug }, address }: SharedClinic,
): Promise<TestOwner> {
  const email = `anna@${slug}.example`;
  const add = ["owner", "add", "--business", slug, "--email", email];
  const { link } = (await queueApi([...add, "--database", instances.url])) as { link: string };
  const linkToken = new URL(link).searchParams.get("token") ?? "";
  const form = { token: linkToken, password, again: password };
  await browserAt(instances, 0, address).submit("/dashboard/set-password", form);
  return { email, linkToken };
}

describe("four instances on one database", () => {
  const four = instancesWith([0, 0, 0, 0]);

  test("check ten of 40 concurrent passwords", async () => {
    const owner = await ownerOfClinic(four(), await four().clinic());
    const answers = await atOnce(40, (n) => {
      const visitor = browserAt(four(), n % 4, `10.1.0.${n}`);
      return signIn(visitor, owner, { password: `wrong password ${n}` });
    });
    expect(tally(answers.map(({ status }) => status))).toEqual({ 422: 10, 429: 30 });
  });

  test("accept exactly 120 of 1,000 concurrent requests with one key", async () => {
    const { client } = await four().clinic();
    const answers = await atOnce(1_000, (n) => client(n).get("/v1/me"));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 120, 429: 880 });
  });

  test("accept exactly 120 of 300 concurrent requests with each of three keys", async () => {
    const refs = ["one", "two", "three"];
    const { client } = await four().clinic({ keys: refs.map((ref) => ({ ...mainKey, ref })) });
    const each = refs.map((ref) => atOnce(300, (n) => client(n, ref).get("/v1/me")));
    for (const answers of await Promise.all(each)) {
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 120, 429: 180 });
    }
  });

  test("return 401 to exactly 30 of 200 concurrent failed sign-ins, and then bar the address on every instance", async () => {
    const { client } = await four().clinic();
    const wrong = `svc_live_${"a".repeat(24)}_${"b".repeat(43)}`;
    const answers = await atOnce(200, (n) => client(n).with(wrong).get("/v1/me"));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 30, 429: 170 });

    const good = await atOnce(4, (n) => client(n).get("/v1/me"));
    expect(good.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    const elsewhere = await atOnce(4, (n) => client(n).from("10.1.1.1").get("/v1/me"));
    expect(elsewhere.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("bar an address on every instance as soon as one has responded to its last failed sign-in", async () => {
    const { client } = await four().clinic();
    const before = await atOnce(4, (n) => client(n).get("/v1/me"));
    expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const failed = await atOnce(30, () => client(0).with(null).get("/v1/me"));
    expect(tally(failed.map(({ status }) => status))).toEqual({ 401: 30 });
    const after = await atOnce(4, (n) => client(n).get("/v1/me"));
    expect(after.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  });

  test("create one entry for 200 concurrent creations with one idempotency key", async () => {
    const { clinic, client } = await four().clinic({ keys: [wideKey] });
    const queue = clinic.queue();
    const key = crypto.randomUUID();
    const answers = await atOnce(200, (n) => client(n).create(queue, customer1, key));
    const created = answers.filter(({ status }) => status === 201);
    const first = created.filter(({ headers }) => !headers.has("idempotent-replay"));
    expect(first).toHaveLength(1);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.every(({ status }) => status === 409)).toBe(true);
    expect(await entriesOf(four(), clinic)).toBe(1);
  });

  test("issue no token number twice in 2,000 creations in one queue, 250 of them at a time", async () => {
    const { clinic, client } = await four().clinic({ keys: [wideKey] });
    const queue = clinic.queue();
    const answers: Awaited<ReturnType<ReturnType<typeof client>["create"]>>[] = [];
    while (answers.length < 2_000) {
      answers.push(...(await atOnce(250, (n) => client(n).create(queue, customer1))));
    }
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 2_000 });
    const numbers = answers.map(({ data }) => data.tokenNumber);
    expect(new Set(numbers).size).toBe(2_000);
    const positions = answers.map(({ data }) => data.position);
    expect(new Set(positions)).toEqual(new Set(Array.from({ length: 2_000 }, (_, n) => n + 1)));

    const [last] = answers.toSorted((a, b) => b.data.tokenNumber - a.data.tokenNumber);
    const entry = await client(1).entry(last?.data.id ?? "");
    expect(entry.data.position).toBe(2_000);
    const day = await client(2).get<{ counts: object }>(`/v1/queues/${queue}`);
    expect(day.data.counts).toMatchObject({ waiting: 2_000 });
  });

  test("enforce the daily limit exactly", async () => {
    const { clinic, client } = await four().clinic({ keys: [wideKey], dailyTokenLimit: 50 });
    const queue = clinic.queue();
    const answers = await atOnce(200, (n) => client(n).create(queue, customer1));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 50, 403: 150 });
  });

  test("refuse a key on the next request after it was revoked in the database", async () => {
    const { clinic, client } = await four().clinic();
    for (let n = 0; n < 4; n++) expect((await client(n).get("/v1/me")).status).toBe(200);
    await four().owner.revokeKey(clinic.keyId());
    const answers = await atOnce(4, (n) => client(n).get("/v1/me"));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test("apply a paused queue, a new limit and a changed access switch on the next request", async () => {
    const { clinic, client } = await four().clinic({ keys: [wideKey] });
    const queue = clinic.queue();
    const everywhere = async () => {
      const answers = await atOnce(4, (n) => client(n).create(queue, customer1));
      return answers.map(({ status }) => status);
    };
    expect(await everywhere()).toEqual([201, 201, 201, 201]);
    await four().owner.setQueue(queue, "pause");
    expect(await everywhere()).toEqual([409, 409, 409, 409]);
    await four().owner.setQueue(queue, "resume");
    expect(await everywhere()).toEqual([201, 201, 201, 201]);
    await four().owner.setDailyLimit(clinic.slug, 8);
    expect(await everywhere()).toEqual([403, 403, 403, 403]);
    await four().owner.setAccess(clinic.slug, false);
    const answers = await atOnce(4, (n) => client(n).get("/v1/me"));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test("create at most ten keys under concurrent creations by several processes", async ({
    onTestFinished,
  }) => {
    const { clinic } = await four().clinic();
    const made = await Promise.allSettled(
      Array.from({ length: 14 }, async (_, n) => {
        const store = await openStore(four().url, { random: randomBytes });
        onTestFinished(() => store.close());
        await ownerOf(store, Date.now).createKey(clinic.slug, { name: `Key ${n}` });
      }),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(9); // in addition to the first key
  });
});

describe("instances whose clocks differ by minutes", () => {
  const three = instancesWith([0, 7, -7]);

  test("share one rate limit window, by the database's clock", async () => {
    const { client } = await three().clinic();
    const answers = await atOnce(300, (n) => client(n).get("/v1/me"));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 120, 429: 180 });
    for (const { headers } of answers) {
      expect(Number(headers.get("ratelimit-reset"))).toBeLessThanOrEqual(60);
    }
  });

  test("create one entry for one idempotency key, with the database's time", async () => {
    const { clinic, client } = await three().clinic({ keys: [wideKey] });
    const queue = clinic.queue();
    const key = crypto.randomUUID();
    const answers = await atOnce(60, (n) => client(n).create(queue, customer1, key));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ data }) => data.id)).size).toBe(1);
    const issuedAt = Date.parse(created[0]?.data.issuedAt ?? "");
    expect(Math.abs(Date.now() - issuedAt)).toBeLessThan(60_000);
    const again = await client(1).create(queue, customer1, key);
    expect(again.headers.get("idempotent-replay")).toBe("true");
    expect(await entriesOf(three(), clinic)).toBe(1);
  });

  test("accept a key until it expires by the database's clock, not by their own", async () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const keys = [
      { ...wideKey, expiresAt: inMinutes(3) },
      { ...wideKey, ref: "expired", expiresAt: inMinutes(-3) },
    ];
    const { clinic, client } = await three().clinic({ keys });
    const good = await atOnce(3, (n) => client(n).get("/v1/me"));
    expect(good.map(({ status }) => status)).toEqual([200, 200, 200]);
    const expired = await atOnce(3, (n) => client(n).with(clinic.key("expired")).get("/v1/me"));
    expect(expired.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  test("accept a session that one of them started, until one of them ends it", async () => {
    const shared = await three().clinic();
    const owner = await ownerOfClinic(three(), shared);
    const visitor = browserAt(three(), 1, shared.address);
    expect((await signIn(visitor, owner)).status).toBe(303);
    const seen = () =>
      atOnce(3, async (n) => {
        const elsewhere = browserAt(three(), n, shared.address);
        for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
        return (await elsewhere.get("/dashboard/account")).status;
      });
    expect(await seen()).toEqual([200, 200, 200]);
    await visitor.get("/dashboard/account");
    const copy = new Map(visitor.cookies);
    await visitor.submit("/dashboard/sign-out");
    for (const [name, value] of copy) visitor.cookies.set(name, value);
    expect(await seen()).toEqual([303, 303, 303]);
  });
});

/** Counts the stored entries of a clinic. */
function entriesOf({ url }: Instances, { id: businessId }: Clinic): Promise<number> {
  return withDatabase(url, (db) => db.collection("entries").countDocuments({ businessId }));
}
