import { randomBytes } from "node:crypto";
import { openStore, type Store } from "@queue-api/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { password, signIn, type TestOwner, Visitor } from "../dashboard/support/visitor.js";
import { customer1 } from "../support/client.js";
import { queueApi } from "../support/command.js";
import { wideKey } from "../support/seed.js";
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

  test("accept exactly 120 of 1,000 concurrent requests with one key", async () => {
    const { client } = await four().clinic();
    const answers = await atOnce(1_000, (n) => client(n).get("/v1/me"));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 120, 429: 880 });
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

  test("apply a paused queue, a new limit, a switch and a revocation on the next request", async () => {
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
    const asking = () => atOnce(4, (n) => client(n).get("/v1/me"));
    expect((await asking()).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    await four().owner.setAccess(clinic.slug, true);
    await four().owner.revokeKey(clinic.keyId());
    expect((await asking()).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test("move 160 people to one queue at once, and each gets a number", async () => {
    const { clinic } = await four().clinic({
      queues: [
        { ref: "front", name: "Front" },
        { ref: "lab", name: "Lab", tokenSeries: "L" },
      ],
    });
    const stores = await Promise.all(
      [1, 2].map(() => openStore(four().url, { random: randomBytes })),
    );
    const at = (n: number) => stores[n % 2] as Store;
    const [front, lab] = [clinic.queue("front"), clinic.queue("lab")];
    const asked = {
      date: "2026-11-24",
      serviceId: null,
      priority: false,
      keyed: null,
      issuedAt: 0,
    };
    const person = { customerName: null, customerPhone: null, phoneIsInternational: false };
    const ids = Array.from({ length: 160 }, () => randomBytes(12).toString("hex"));
    await Promise.all(
      ids.map((id, n) =>
        at(n).entries.issue(clinic.id, { ...asked, ...person, id, queueId: front }),
      ),
    );
    const moved = await Promise.all(ids.map((id, n) => at(n).entries.transfer(clinic.id, id, lab)));
    const numbers = moved.map((one) => (one.outcome === "changed" ? one.entry.tokenNumber : 0));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(ids.map((_, n) => n + 1));
    for (const store of stores) await store.close();
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

  test("create entries at the database's time, of which each knows the key", async () => {
    const { clinic, client } = await three().clinic();
    const key = crypto.randomUUID();
    const create = (instance: number) => client(instance).create(clinic.queue(), customer1, key);
    const { data, text } = await create(1);
    expect(Math.abs(Date.now() - Date.parse(data.issuedAt))).toBeLessThan(60_000);
    expect((await create(2)).text).toBe(text);
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
