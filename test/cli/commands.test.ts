import { randomBytes } from "node:crypto";
import { openApiDocument } from "@queue-api/contract";
import { openStore } from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";
import { auditRow } from "../store/support/records.js";
import { type Cli, expectFailure, newCli, runHere } from "./command.js";
import { aKey, anId, aTimestamp, sunrise } from "./fixtures.js";

let cli: Cli;
let ids: Readonly<Record<string, string>>;

beforeEach(async () => {
  cli = await newCli();
  const { sunrise: seeded } = (await cli.seed(sunrise)).businesses;
  if (!seeded) throw new Error("the seed made no business");
  const keys = Object.entries(seeded.keys).map(([ref, key]) => [ref, key.split("_")[2] ?? ""]);
  const { services, queues, entries, appointments } = seeded;
  ids = { ...services, ...queues, ...entries, ...appointments, ...Object.fromEntries(keys) };
});

/** The arguments of a line. `$ref` stands for an id of the clinic, `""` for an empty text. */
const words = (line: string) =>
  line.split(" ").map((word) => {
    if (word === '""') return "";
    return word.startsWith("$") ? (ids[word.slice(1)] ?? "0".repeat(24)) : word;
  });
const run = (line: string) => cli.run(words(line));
const json = <Document>(line: string) => cli.json<Document>(words(line));

const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
const business = {
  id: anId,
  slug: "sunrise",
  name: "Sunrise Clinic",
  category: "clinic",
  timezone: "Asia/Kolkata",
  apiAccess: true,
  dailyTokenLimit: null,
  sandbox: false,
};
const service = { name: "Consultation", price: 300, baseTimeMinutes: 15, active: true };
const front = {
  id: anId,
  name: "Front desk",
  tokenSeries: "A",
  isActive: true,
  isTokenCreationPaused: false,
};
const lab = { ...front, name: "Laboratory" };
const counts = { waiting: 2, inService: 1, completed: 1, canceled: 1, noShow: 1 };
const none = { waiting: 0, inService: 0, completed: 0, canceled: 0, noShow: 0 };
const key = {
  id: anId,
  name: "Kiosk",
  purpose: "owner",
  scopes: ["queue:read", "queue:write"],
  allowIps: [],
  requestsPerMinute: 120,
  writesPerMinute: 30,
  status: "active",
  createdAt: aTimestamp,
  expiresAt: aTimestamp,
  revokedAt: null,
  lastUsedAt: null,
};
const entry = {
  id: anId,
  queueId: anId,
  date: day,
  token: "A1",
  tokenSeries: "A",
  tokenNumber: 1,
  status: "WAITING",
  priority: false,
  serviceId: anId,
  issuedAt: aTimestamp,
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  customer: { name: "Customer 1", phone: "919800000001" },
};
const called = { status: "IN_SERVICE", startedAt: aTimestamp };
const second = {
  ...entry,
  token: "A2",
  tokenNumber: 2,
  priority: true,
  serviceId: null,
  customer: { name: "Customer 2", phone: "919800000002" },
};
const third = {
  ...entry,
  ...called,
  token: "A3",
  tokenNumber: 3,
  serviceId: null,
  customer: { name: "Customer 3", phone: null },
};
const visit = {
  id: anId,
  date: day,
  slotTime: "10:30",
  durationMinutes: 15,
  serviceId: anId,
  customer: { name: "Customer 7", phone: "919800000007" },
  notes: "kept, never returned by the API",
};
const aLink = /^http:\/\/127\.0\.0\.1:3000\/dashboard\/set-password\?token=[a-zA-Z0-9]{43}$/;
const email = "anna@clinic.example";
const owner = { id: anId, email, role: "owner", hasPassword: false, createdAt: aTimestamp };
const link = { id: anId, email, link: expect.stringMatching(aLink), expiresAt: aTimestamp };

const newKey = "key create --business sunrise --name Kiosk --scope queue:read";
const addAccount = `account add --business sunrise --email ${email}`;

describe("with --json prints one document", () => {
  it.each<[string, unknown]>([
    ["business list", [business]],
    [
      "business show sunrise",
      { ...business, services: [{ id: anId, ...service }], queues: [front, lab], activeKeys: 1 },
    ],
    ["business set sunrise --access off", { ...business, apiAccess: false }],
    ["business set sunrise --daily-limit 200", { ...business, dailyTokenLimit: 200 }],
    [
      "business set sunrise --daily-limit 0 --sandbox on",
      { ...business, dailyTokenLimit: 0, sandbox: true },
    ],
    ["business set sunrise --access on --daily-limit none --sandbox off", business],
    [
      `${newKey} queue:write`,
      {
        id: anId,
        key: aKey,
        name: "Kiosk",
        scopes: ["queue:read", "queue:write"],
        expiresAt: aTimestamp,
      },
    ],
    [
      "key list --business sunrise",
      expect.arrayContaining([key, { ...key, name: "Old kiosk", status: "expired" }]),
    ],
    [
      "key set $kiosk --allow-ip 203.0.113.7 198.51.100.0/24",
      { ...key, allowIps: ["203.0.113.7", "198.51.100.0/24"] },
    ],
    [
      "key set $kiosk --allow-ip 2001:db8::1 --name Lobby --writes-per-minute 5",
      { ...key, allowIps: ["2001:db8::1"], name: "Lobby", writesPerMinute: 5 },
    ],
    ["key set $kiosk --allow-ip all --requests-per-minute 7", { ...key, requestsPerMinute: 7 }],
    ["key revoke $kiosk", { ...key, status: "revoked", revokedAt: aTimestamp }],
    [
      "queue list --business sunrise",
      [
        { ...front, date: day, counts },
        { ...lab, date: day, counts: none },
      ],
    ],
    ["queue pause $front", { ...front, isTokenCreationPaused: true }],
    ["queue resume $front", front],
    ["queue close $front", { ...front, isActive: false }],
    ["queue open $front", front],
    ["entry next $front", { ...second, ...called }],
    ["entry call $waiting", { ...entry, ...called }],
    ["entry complete $serving", { ...third, status: "COMPLETED", completedAt: aTimestamp }],
    ["entry no-show $waiting", { ...entry, status: "NO_SHOW" }],
    ["entry requeue $serving", { ...third, status: "WAITING", startedAt: null }],
    ["entry undo $serving", { ...third, status: "WAITING", startedAt: null }],
    ["appointment set $a1 --status CANCELLED", { ...visit, status: "CANCELLED" }],
    ["account list --business sunrise", []],
    [addAccount, link],
  ])("queue-api %s", async (line, document) => {
    expect(await json(line)).toEqual(document);
  });

  it("queue-api openapi: the OpenAPI document of the service, also without --json", async () => {
    const baseUrl = "https://queue.example";
    const document = openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` });
    for (const args of [["openapi"], ["openapi", "--json"]]) {
      const { stdout } = await runHere(args, "", { BASE_URL: baseUrl });
      expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(document)));
    }
    const { stdout } = await runHere(["openapi"], "", { HOST: "::1", PORT: "80" });
    expect(JSON.parse(stdout).servers).toEqual([
      expect.objectContaining({ url: "http://[::1]:80" }),
    ]);
  });
});

describe("prints for a person", () => {
  it.each([
    ["business show sunrise", /Active keys: 1/],
    [newKey, /^svc_live_\w{24}_\w{43}\n/],
    ["key set $old --name Older", /\n\nThis key has expired, so requests cannot use it/],
    [
      "queue list --business sunrise",
      /^QUEUE +NAME +SERIES +STATE +WAITING[\s\S]*Front desk +A +open +2 +1 +1 +1 +1\n/,
    ],
    ["entry next $front", /\nA2 +IN_SERVICE +Customer 2 +919800000002/],
    ["account list --business sunrise", /^No accounts\.\n$/],
    [addAccount, new RegExp(`${aLink.source.slice(1, -1)}\\n[\\s\\S]*${email}`)],
  ])("queue-api %s", async (line, text) => {
    expect(await run(line)).toEqual({ code: 0, stdout: expect.stringMatching(text), stderr: "" });
  });

  it("a table with a heading", async () => {
    expect((await run("business list")).stdout).toBe(
      [
        "SLUG     NAME            CATEGORY  TIME ZONE     ACCESS  DAILY LIMIT  SANDBOX",
        "sunrise  Sunrise Clinic  clinic    Asia/Kolkata  on      none         no",
        "",
      ].join("\n"),
    );
  });

  it("names without control characters", async () => {
    const name = "Red \u001b[31m\nClinic";
    await cli.seed({ businesses: [{ slug: "tricky", name }] });
    expect((await run("business show tricky")).stdout).toContain("Red \ufffd[31m\ufffdClinic");
    expect(await json("business show tricky")).toMatchObject({ name });
  });
});

describe("is refused with one line, and changes nothing", () => {
  const name = /^--name must be 1 to 120 characters/;
  const refusals: readonly [1 | 2, string | RegExp, ...lines: string[]][] = [
    [
      1,
      "no business has this slug; see: queue-api business list",
      "business show nobody",
      "business set nobody --access on",
      "key list --business nobody",
      "key create --business nobody --name K --scope queue:read",
      "queue list --business nobody",
      "audit --business nobody",
      "account list --business nobody",
      `account add --business nobody --email ${email}`,
      "simulate --business nobody",
    ],
    [1, /not a sandbox.*business set sunrise --sandbox on$/, "simulate --business sunrise"],
    [
      1,
      /^no key has this id; see: queue-api key list/,
      "key set $unknown --name Lobby",
      "key revoke $unknown",
    ],
    [2, /^name at least one of --name/, "key set $kiosk"],
    [2, /^--requests-per-minute must be a whole number/, "key set $kiosk --requests-per-minute 0"],
    [2, /^--writes-per-minute must be a whole number/, "key set $kiosk --writes-per-minute 0x10"],
    [2, name, 'key set $kiosk --name ""', newKey.replace("Kiosk", '""')],
    [2, /^option '--days <n>' may be given only once/, `${newKey} --days 1 --days 2`],
    [
      2,
      "--days must be a whole number from 1 to 365",
      ...["0", "366", "0x10"].map((days) => `${newKey} --days ${days}`),
    ],
    [
      2,
      /^--allow-ip must be an IPv4 address/,
      "key set $kiosk --allow-ip all 203.0.113.7",
      ...["203.0.113.0/33", "localhost", "all"].map((ip) => `${newKey} --allow-ip ${ip}`),
    ],
    [
      2,
      /^--scope must be one of queue:read, queue:write, appointments:read$/,
      `${newKey} --scope queue:admin`,
    ],
    [
      1,
      /^no queue has this id; see: queue-api queue list/,
      ...["pause", "resume", "open", "close"].map((verb) => `queue ${verb} $unknown`),
      "entry next $unknown",
    ],
    [1, /^no entry is waiting in this queue today/, "entry next $empty"],
    [
      1,
      /^no entry has this id/,
      ...["call", "complete", "no-show", "requeue", "undo"].map((verb) => `entry ${verb} $unknown`),
    ],
    [1, /^the entry is IN_SERVICE; only one that is WAITING can be called$/, "entry call $serving"],
    [1, /^the entry is WAITING; only one that is IN_SERVICE can be/, "entry complete $waiting"],
    [1, /^the entry is CANCELED; only one that is WAITING or IN_/, "entry no-show $canceled"],
    [1, /^no appointment has this id/, "appointment set $unknown --status COMPLETED"],
    [
      1,
      "no account has this e-mail address; see: queue-api account list --business SLUG",
      "account link nobody@clinic.example",
      "account remove nobody@clinic.example",
    ],
    [
      2,
      /^(--email|EMAIL) must be an e-mail address like anna@clinic\.example$/,
      "account add --business sunrise --email not-an-address",
      "account link anna@",
      "account remove @clinic.example",
    ],
  ];

  it.each(
    refusals.flatMap(([code, message, ...lines]) => lines.map((line) => ({ code, line, message }))),
  )("exit $code: queue-api $line", async ({ code, line, message }) => {
    const state = async () => [
      await json("queue list --business sunrise"),
      await json("key list --business sunrise"),
    ];
    const before = await state();
    expectFailure(await run(line), code, message);
    expect(await state()).toEqual(before);
  });
});

it("the audit log is shown newest first, up to a limit", async () => {
  const store = await openStore(cli.database, { clock: Date.now, random: randomBytes });
  const [{ id } = { id: "" }] = await store.businesses.list();
  const of = { businessId: id, keyId: ids.kiosk ?? "" };
  const at = Date.now();
  await store.audit.append([
    auditRow("older", { ...of, at }),
    auditRow("newer", { ...of, at: at + 1 }),
  ]);
  await store.close();
  const newest = {
    ...{ at: aTimestamp, keyId: ids.kiosk, account: null, method: "GET", path: "/v1/newer" },
    ...{
      status: 200,
      ip: "203.0.113.7",
      requestId: expect.stringMatching(/newer$/),
      count: 1,
      lastAt: aTimestamp,
    },
  };
  const rows = await json("audit --business sunrise");
  expect(rows).toEqual([
    newest,
    { ...newest, path: "/v1/older", requestId: expect.stringMatching(/older$/) },
  ]);
  expect(await json("audit --business sunrise --limit 1")).toEqual([newest]);
  const { stdout } = await run("audit --business sunrise");
  expect(stdout).toMatch(/^AT +UNTIL +REQUESTS +METHOD +PATH +STATUS/);
});

describe("a key", () => {
  it("is valid for 90 days, and is shown once", async () => {
    const created = await json<{ id: string; key: string; expiresAt: string }>(newKey);
    const [, , id, secret] = created.key.split("_");
    expect(id).toBe(created.id);
    expect((Date.parse(created.expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(90, 2);
    const { stdout } = await run("key list --business sunrise");
    expect(stdout).toContain(id);
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toMatch(/hash/i);
  });

  it("is one of at most ten active ones", async () => {
    const keys = Array(9).fill({ name: "Spare" });
    await cli.seed({ businesses: [{ slug: "full", name: "Full", keys }] });
    const create = newKey.replace("sunrise", "full");
    const { id } = await json<{ id: string }>(create);
    expectFailure(await run(create), 1, /10 active keys.*queue-api key revoke KEY_ID/);
    await json(`key revoke ${id}`);
    expect(await json(create)).toMatchObject({ key: aKey });
  });
});

describe("an owner", () => {
  const list = "account list --business sunrise";
  const linkOf = `account link ${email}`;

  it("has a link for a day, until there is a newer one", async () => {
    const added = await json<{ link: string; expiresAt: string }>(addAccount);
    expect((Date.parse(added.expiresAt) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    const renewed = await json<{ link: string }>(linkOf);
    expect(renewed).toEqual(link);
    expect(renewed.link).not.toBe(added.link);
  });

  it("is listed in the order of addition, and frees the e-mail address when removed", async () => {
    await run(addAccount.replace(email, "Anna@Clinic.Example"));
    await run(addAccount.replace(email, "bert@clinic.example"));
    expect(await json(list)).toEqual([owner, { ...owner, email: "bert@clinic.example" }]);
    const table = /^E-MAIL .*\nanna@clinic\.example +owner +not set yet /;
    expect((await run(list)).stdout).toMatch(table);
    expect(await json("account remove ANNA@clinic.example")).toEqual(owner);
    expect(await json(addAccount)).toMatchObject({ email });
  });

  it("is asked for by its business if several have the address", async () => {
    await cli.seed({ businesses: [{ slug: "salon", name: "Salon" }] });
    await run(addAccount);
    expectFailure(
      await run(addAccount),
      1,
      "this e-mail address already has an account; give it a new link with: queue-api account link EMAIL --business SLUG",
    );
    expect((await run(addAccount.replace("sunrise", "salon"))).code).toBe(0);
    const ambiguous =
      "several businesses have an account with this e-mail address; name one with --business";
    for (const line of [linkOf, `account remove ${email}`]) {
      expectFailure(await run(line), 1, ambiguous);
      expect((await run(`${line} --business salon`)).code).toBe(0);
    }
    expect((await run(linkOf)).code).toBe(0);
  });

  it.each<[NodeJS.ProcessEnv, string, isNoted: boolean]>([
    [{}, "http://127.0.0.1:3000", true],
    [{ HOST: "::1" }, "http://[::1]:3000", true],
    [{ PORT: "0" }, "http://127.0.0.1:0", true],
    [{ HOST: "0.0.0.0", PORT: "8080" }, "http://localhost:8080", false],
    [{ BASE_URL: "https://queue.example/api/" }, "https://queue.example/api", false],
  ])("has with the settings %j a link at %s, which a note explains: %s", async (...row) => {
    const [settings, address, isNoted] = row;
    const env = { DATABASE_URL: cli.database, ...settings };
    const note =
      /^The link uses BASE_URL, or HOST and PORT. Neither BASE_URL nor a PORT is set here/m;
    for (const line of [addAccount, linkOf]) {
      const { stdout } = await runHere(words(line), "", env);
      expect([stdout.split("/dashboard/")[0], note.test(stdout)]).toEqual([address, isNoted]);
    }
    const named = `account link ${email} --business sunrise`;
    const advised = (await runHere(words(named), "", env)).stdout.includes(`queue-api ${named}\n`);
    expect(advised).toBe(isNoted);
    const { stdout, stderr } = await runHere([...words(linkOf), "--json"], "", env);
    expect([note.test(stdout), stderr]).toEqual([false, ""]);
  });
});
