import { randomBytes } from "node:crypto";
import { openStore, type SeededBusiness } from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cli, failure, newCli } from "./command.js";
import { aKey, anId, aTimestamp, sunrise } from "./fixtures.js";

let cli: Cli;
let seeded: SeededBusiness;

beforeEach(async () => {
  cli = await newCli();
  const { businesses } = await cli.seed(sunrise);
  if (!businesses.sunrise) throw new Error("The seed printed no business.");
  seeded = businesses.sunrise;
});

afterEach(() => cli.remove());

describe("business", () => {
  const row = {
    id: anId,
    slug: "sunrise",
    name: "Sunrise Clinic",
    category: "clinic",
    timezone: "Asia/Kolkata",
    apiAccess: true,
    dailyTokenLimit: null,
    sandbox: false,
  };

  it("list prints all businesses", async () => {
    expect(await cli.json(["business", "list"])).toEqual([row]);
    const { stdout } = await cli.run(["business", "list"]);
    expect(stdout).toBe(
      [
        "SLUG     NAME            CATEGORY  TIME ZONE     ACCESS  DAILY LIMIT  SANDBOX",
        "sunrise  Sunrise Clinic  clinic    Asia/Kolkata  on      none         no",
        "",
      ].join("\n"),
    );
  });

  it("show prints a business with its services, queues and keys", async () => {
    expect(await cli.json(["business", "show", "sunrise"])).toEqual({
      ...row,
      services: [
        {
          id: seeded.services.consult,
          name: "Consultation",
          price: 300,
          baseTimeMinutes: 15,
          active: true,
        },
      ],
      queues: [
        {
          id: seeded.queues.front,
          name: "Front desk",
          tokenSeries: "A",
          isActive: true,
          isTokenCreationPaused: false,
        },
        {
          id: seeded.queues.empty,
          name: "Laboratory",
          tokenSeries: "A",
          isActive: true,
          isTokenCreationPaused: false,
        },
      ],
      activeKeys: 1,
    });
    expect((await cli.run(["business", "show", "sunrise"])).stdout).toContain("Active keys: 1");
  });

  it("set changes the given settings and no others", async () => {
    const set = (...args: string[]) => cli.json(["business", "set", "sunrise", ...args]);
    expect(await set("--access", "off")).toEqual({ ...row, apiAccess: false });
    expect(await set("--daily-limit", "200")).toEqual({
      ...row,
      apiAccess: false,
      dailyTokenLimit: 200,
    });
    expect(await set("--access", "on", "--daily-limit", "none")).toEqual(row);
    expect(await set("--daily-limit", "0")).toEqual({ ...row, dailyTokenLimit: 0 });
    const sandbox = await set("--daily-limit", "none", "--sandbox", "on");
    expect(sandbox).toEqual({ ...row, sandbox: true });
    expect(await set("--sandbox", "off")).toEqual(row);
  });

  it.each([
    ["business", "show", "nobody"],
    ["business", "set", "nobody", "--access", "on"],
    ["key", "list", "--business", "nobody"],
    ["key", "create", "--business", "nobody", "--name", "K", "--scope", "queue:read"],
    ["queue", "list", "--business", "nobody"],
    ["audit", "--business", "nobody"],
  ])("is unknown to %s %s", async (...args) => {
    const line = "no business has this slug; see: queue-api business list";
    expect(await cli.run(args)).toEqual(failure(1, line));
  });
});

describe("key", () => {
  const create = ["key", "create", "--business", "sunrise", "--name", "Kiosk", "--scope"];
  const day = 86_400_000;
  const daysUntil = (expiresAt: string) => (Date.parse(expiresAt) - Date.now()) / day;

  it("create prints the key, which is valid for 90 days", async () => {
    const created = await cli.json<{ id: string; key: string; expiresAt: string }>([
      ...create,
      "queue:read",
      "queue:write",
    ]);
    expect(created).toEqual({
      id: anId,
      key: aKey,
      name: "Kiosk",
      scopes: ["queue:read", "queue:write"],
      expiresAt: aTimestamp,
    });
    expect(created.key.split("_")[2]).toBe(created.id);
    expect(daysUntil(created.expiresAt)).toBeCloseTo(90, 2);
  });

  it("create prints the key for a person, once", async () => {
    const { stdout } = await cli.run([...create, "queue:read"]);
    const [key = ""] = stdout.split("\n");
    expect(key).toEqual(aKey);
    const listed = [
      await cli.run(["key", "list", "--business", "sunrise"]),
      await cli.run(["key", "list", "--business", "sunrise", "--json"]),
    ];
    for (const { stdout } of listed) {
      expect(stdout).not.toContain(key);
      expect(stdout).not.toContain(key.split("_")[3]);
      expect(stdout).not.toMatch(/hash/i);
    }
  });

  it("list prints every key with its state", async () => {
    const { id } = await cli.json<{ id: string }>([
      ...[...create, "queue:read", "--scope", "appointments:read"],
      ...["--allow-ip", "203.0.113.0/24", "2001:db8::1"],
      ...["--requests-per-minute", "600", "--writes-per-minute", "60"],
    ]);
    const keys = await cli.json<{ id: string }[]>(["key", "list", "--business", "sunrise"]);
    expect(keys).toHaveLength(3);
    expect(keys).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ name: "Old kiosk", status: "expired" }),
        expect.objectContaining({ name: "Kiosk", status: "active", allowIps: [] }),
      ]),
    );
    expect(keys.find((key) => key.id === id)).toEqual({
      id,
      name: "Kiosk",
      purpose: "owner",
      scopes: ["queue:read", "appointments:read"],
      allowIps: ["203.0.113.0/24", "2001:db8::1"],
      requestsPerMinute: 600,
      writesPerMinute: 60,
      status: "active",
      createdAt: aTimestamp,
      expiresAt: aTimestamp,
      revokedAt: null,
      lastUsedAt: null,
    });
  });

  it("set changes the given settings and no others", async () => {
    const { id } = await cli.json<{ id: string }>([...create, "queue:read"]);
    const set = (...args: string[]) => cli.json(["key", "set", id, ...args]);
    const allowIps = ["203.0.113.7", "198.51.100.0/24"];
    const created = {
      id,
      name: "Kiosk",
      allowIps: [],
      requestsPerMinute: 120,
      writesPerMinute: 30,
    };
    expect(await set("--allow-ip", ...allowIps)).toMatchObject({ ...created, allowIps });
    expect(await set("--name", "Lobby", "--writes-per-minute", "5")).toMatchObject({
      ...created,
      name: "Lobby",
      allowIps,
      writesPerMinute: 5,
    });
    expect(await set("--allow-ip", "all", "--requests-per-minute", "7")).toMatchObject({
      ...created,
      name: "Lobby",
      writesPerMinute: 5,
      requestsPerMinute: 7,
    });
  });

  it.each([
    [[], /^name at least one of --name/],
    [["--allow-ip", "all", "203.0.113.7"], /^--allow-ip must be an IPv4 address/],
    [["--requests-per-minute", "0"], /^--requests-per-minute must be a whole number/],
    [["--requests-per-minute", "1e2"], /^--requests-per-minute must be a whole number/],
    [["--writes-per-minute", "0x10"], /^--writes-per-minute must be a whole number/],
    [["--name", ""], /^--name must be 1 to 120 characters/],
  ])("set refuses %j", async (args, line) => {
    const { id } = await cli.json<{ id: string }>([...create, "queue:read"]);
    expect(await cli.run(["key", "set", id, ...args])).toEqual(failure(2, line));
  });

  it("set warns that a revoked key stays revoked, and prints no warning for other keys", async () => {
    const { id } = await cli.json<{ id: string }>([...create, "queue:read"]);
    const set = ["key", "set", id, "--name", "Lobby"];
    expect((await cli.run(set)).stdout).not.toContain("This key");
    await cli.run(["key", "revoke", id]);
    const { code, stdout } = await cli.run(set);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n\nThis key is revoked, so requests cannot use it/);
    expect(await cli.json(set)).toMatchObject({ name: "Lobby", status: "revoked" });
  });

  it("set warns that an expired key stays expired", async () => {
    const keys = await cli.json<{ id: string; status: string }[]>([
      "key",
      "list",
      "--business",
      "sunrise",
    ]);
    const { id = "" } = keys.find(({ status }) => status === "expired") ?? {};
    const { stdout } = await cli.run(["key", "set", id, "--name", "Older kiosk"]);
    expect(stdout).toMatch(/\n\nThis key has expired, so requests cannot use it/);
  });

  it("set of an unknown id is refused", async () => {
    const unknown = await cli.run(["key", "set", "0".repeat(24), "--name", "Lobby"]);
    expect(unknown).toEqual(failure(1, /^no key has this id; see: queue-api key list/));
  });

  it("revoke revokes a key, and a second revoke keeps the first timestamp", async () => {
    const { id } = await cli.json<{ id: string }>([...create, "queue:read"]);
    const revoked = await cli.json<{ revokedAt: string }>(["key", "revoke", id]);
    expect(revoked).toMatchObject({ id, status: "revoked", revokedAt: aTimestamp });
    expect(await cli.json(["key", "revoke", id])).toEqual(revoked);
  });

  it("revoke of an unknown id is refused", async () => {
    const unknown = await cli.run(["key", "revoke", "0".repeat(24)]);
    expect(unknown).toEqual(failure(1, /^no key has this id; see: queue-api key list/));
  });

  it.each([
    ["--days", "0", "--days must be a whole number from 1 to 365"],
    ["--days", "366", "--days must be a whole number from 1 to 365"],
    ["--days", "ten", "--days must be a whole number from 1 to 365"],
    ["--days", "1.5", "--days must be a whole number from 1 to 365"],
    ["--days", "1e2", "--days must be a whole number from 1 to 365"],
    ["--days", "0x10", "--days must be a whole number from 1 to 365"],
    ["--requests-per-minute", "0", /^--requests-per-minute must be a whole number/],
    ["--writes-per-minute", "0", /^--writes-per-minute must be a whole number/],
    ["--allow-ip", "203.0.113.256", /^--allow-ip must be an IPv4 address/],
    ["--allow-ip", "203.0.113.0/33", /^--allow-ip must be an IPv4 address/],
    ["--allow-ip", "2001:db8::/32", /^--allow-ip must be an IPv4 address/],
    ["--allow-ip", "fe80::1%eth0", /^--allow-ip must be an IPv4 address/],
    ["--allow-ip", "localhost", /^--allow-ip must be an IPv4 address/],
    ["--allow-ip", "all", /^--allow-ip must be an IPv4 address/],
    [
      "--scope",
      "queue:admin",
      /^--scope must be one of queue:read, queue:write, appointments:read$/,
    ],
    ["--name", "", /^--name must be 1 to 120 characters/],
    ["--name", "x".repeat(121), /^--name must be 1 to 120 characters/],
  ])("create refuses %s %s", async (option, value, line) => {
    const run = await cli.run([...create, "queue:read", option, value]);
    expect(run).toEqual(failure(2, line));
    expect(await cli.json(["key", "list", "--business", "sunrise"])).toHaveLength(2);
  });

  it("create refuses an eleventh active key until one is revoked", async () => {
    const tenth = { slug: "full", name: "Full", keys: Array(9).fill({ name: "Spare" }) };
    await cli.seed({ businesses: [tenth] });
    const create = ["key", "create", "--business", "full", "--name", "Kiosk", "--scope"];
    const { id } = await cli.json<{ id: string }>([...create, "queue:read"]);
    const refused = await cli.run([...create, "queue:read"]);
    expect(refused).toEqual(failure(1, /10 active keys.*queue-api key revoke KEY_ID/));

    await cli.json(["key", "revoke", id]);
    expect(await cli.json([...create, "queue:read"])).toMatchObject({ key: aKey });
  });
});

describe("queue", () => {
  const front = () => ({
    id: seeded.queues.front,
    name: "Front desk",
    tokenSeries: "A",
    isActive: true,
    isTokenCreationPaused: false,
  });

  it("list counts today's entries", async () => {
    const queues = await cli.json(["queue", "list", "--business", "sunrise"]);
    expect(queues).toEqual([
      {
        ...front(),
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        counts: { waiting: 2, inService: 1, completed: 1, canceled: 1, noShow: 1 },
      },
      expect.objectContaining({
        counts: { waiting: 0, inService: 0, completed: 0, canceled: 0, noShow: 0 },
      }),
    ]);
    const { stdout } = await cli.run(["queue", "list", "--business", "sunrise"]);
    expect(stdout).toMatch(/^QUEUE +NAME +SERIES +STATE +WAITING/);
    expect(stdout).toMatch(/Front desk +A +open +2 +1 +1 +1 +1\n/);
  });

  it("pause and resume set isTokenCreationPaused, close and open set isActive", async () => {
    const queue = (verb: string) => cli.json(["queue", verb, seeded.queues.front ?? ""]);
    expect(await queue("pause")).toEqual({ ...front(), isTokenCreationPaused: true });
    expect(await queue("close")).toEqual({
      ...front(),
      isTokenCreationPaused: true,
      isActive: false,
    });
    expect(await queue("resume")).toEqual({ ...front(), isActive: false });
    expect(await queue("open")).toEqual(front());
    expect(await queue("open")).toEqual(front());
  });

  it.each(["pause", "resume", "open", "close"])("%s of an unknown id is refused", async (verb) => {
    const unknown = await cli.run(["queue", verb, "0".repeat(24)]);
    expect(unknown).toEqual(failure(1, /^no queue has this id; see: queue-api queue list/));
  });
});

describe("entry", () => {
  const entry = (verb: string, ref: string) => ["entry", verb, seeded.entries[ref] ?? ""];

  it("next calls the entry at position 1, until the line is empty", async () => {
    const next = ["entry", "next", seeded.queues.front ?? ""];
    expect(await cli.json(next)).toEqual({
      id: seeded.entries.priority,
      queueId: seeded.queues.front,
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      token: "A2",
      tokenSeries: "A",
      tokenNumber: 2,
      status: "IN_SERVICE",
      priority: true,
      serviceId: null,
      customer: { name: "Customer 2", phone: "919800000002" },
      issuedAt: aTimestamp,
      startedAt: aTimestamp,
      completedAt: null,
      canceledAt: null,
    });
    expect((await cli.run(next)).stdout).toMatch(/\nA1 +IN_SERVICE +Customer 1 +919800000001/);
    expect(await cli.run(next)).toEqual(failure(1, /^no entry is waiting in this queue today/));
  });

  it("next of an unknown queue is refused", async () => {
    const unknown = await cli.run(["entry", "next", "0".repeat(24)]);
    expect(unknown).toEqual(failure(1, /^no queue has this id/));
  });

  it.each([
    ["call", "waiting", { status: "IN_SERVICE", startedAt: aTimestamp, completedAt: null }],
    ["complete", "serving", { status: "COMPLETED", completedAt: aTimestamp }],
    ["no-show", "waiting", { status: "NO_SHOW", startedAt: null, completedAt: null }],
    ["no-show", "serving", { status: "NO_SHOW", startedAt: aTimestamp, completedAt: null }],
  ])("%s moves one that is %s", async (verb, ref, expected) => {
    expect(await cli.json(entry(verb, ref))).toMatchObject({
      id: seeded.entries[ref],
      ...expected,
    });
  });

  it.each([
    ["call", "serving", "the entry is IN_SERVICE; only one that is WAITING can be called"],
    ["call", "completed", "the entry is COMPLETED; only one that is WAITING can be called"],
    ["call", "canceled", "the entry is CANCELED; only one that is WAITING can be called"],
    ["call", "missed", "the entry is NO_SHOW; only one that is WAITING can be called"],
    ["complete", "waiting", "the entry is WAITING; only one that is IN_SERVICE can be completed"],
    [
      "complete",
      "completed",
      "the entry is COMPLETED; only one that is IN_SERVICE can be completed",
    ],
    ["complete", "canceled", "the entry is CANCELED; only one that is IN_SERVICE can be completed"],
    ["complete", "missed", "the entry is NO_SHOW; only one that is IN_SERVICE can be completed"],
    [
      "no-show",
      "completed",
      "the entry is COMPLETED; only one that is WAITING or IN_SERVICE can be marked as no-show",
    ],
    [
      "no-show",
      "canceled",
      "the entry is CANCELED; only one that is WAITING or IN_SERVICE can be marked as no-show",
    ],
    [
      "no-show",
      "missed",
      "the entry is NO_SHOW; only one that is WAITING or IN_SERVICE can be marked as no-show",
    ],
  ])("%s refuses one that is %s", async (verb, ref, line) => {
    expect(await cli.run(entry(verb, ref))).toEqual(failure(1, line));
    const [front] = await cli.json<{ counts: object }[]>([
      "queue",
      "list",
      "--business",
      "sunrise",
    ]);
    expect(front?.counts).toEqual({
      waiting: 2,
      inService: 1,
      completed: 1,
      canceled: 1,
      noShow: 1,
    });
  });

  it("undo of a move to another queue is refused after another change", async () => {
    const store = await openStore(cli.database, { clock: Date.now, random: randomBytes });
    const [business] = await store.businesses.list();
    const { waiting = "" } = seeded.entries;
    const queueId = seeded.queues.empty ?? "";
    await store.entries.transfer(business?.id ?? "", waiting, queueId);
    await store.entries.move(business?.id ?? "", waiting, "priority", Date.now());
    await store.close();
    expect(await cli.run(entry("undo", "waiting"))).toEqual(
      failure(1, /^the entry is WAITING; only one that is IN_SERVICE or .* can be put back/),
    );
  });

  it.each(["call", "complete", "no-show"])("%s of an unknown id is refused", async (verb) => {
    expect(await cli.run(["entry", verb, "0".repeat(24)])).toEqual(
      failure(1, /^no entry has this id/),
    );
  });
});

describe("appointment", () => {
  it.each(["CONFIRMED", "CHECKED_IN", "IN_SERVICE", "COMPLETED", "NO_SHOW", "CANCELLED"])(
    "set makes it %s",
    async (status) => {
      const id = seeded.appointments.a1 ?? "";
      expect(await cli.json(["appointment", "set", id, "--status", status])).toEqual({
        id,
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        slotTime: "10:30",
        durationMinutes: 15,
        status,
        serviceId: seeded.services.consult,
        customer: { name: "Customer 7", phone: "919800000007" },
        notes: "kept, never returned by the API",
      });
    },
  );

  it("set of an unknown id is refused", async () => {
    const unknown = ["appointment", "set", "0".repeat(24), "--status", "COMPLETED"];
    expect(await cli.run(unknown)).toEqual(failure(1, /^no appointment has this id/));
  });
});

describe("names", () => {
  it("reach the terminal without control characters", async () => {
    const business = { slug: "tricky", name: "Red \u001b[31m\nClinic" };
    await cli.seed({ businesses: [business] });
    const { stdout } = await cli.run(["business", "show", "tricky"]);
    expect(stdout).toContain("Red \ufffd[31m\ufffdClinic");
    expect(await cli.json(["business", "show", "tricky"])).toMatchObject({ name: business.name });
  });
});
