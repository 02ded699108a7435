import { describe, expect, test } from "vitest";
import { sections } from "../../server/src/dashboard/sections.js";
import type { Clinic } from "../support/clinic.js";
import { expectStatus } from "../support/expect.js";
import { type BusinessSeed, mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { textOf } from "./support/html.js";
import { ownedClinic } from "./support/quick-sign-in.js";
import { another, password, visitorOf } from "./support/visitor.js";

const service = await testService();

const seed: BusinessSeed = { appointments: [{ ref: "visit", slotTime: "10:30" }] };

interface Action {
  /** A description of the change. */
  readonly act: string;
  readonly path: (clinic: Clinic) => string;
  readonly fields: Readonly<Record<string, string>>;
}

const key = (clinic: Clinic) => `/keys/${clinic.keyId()}`;
const offered = (clinic: Clinic) => `/services/${clinic.service()}`;
const queue = (clinic: Clinic) => `/queues/${clinic.queue()}`;
const visit = (clinic: Clinic) => `/appointments/${clinic.appointment("visit")}`;

const keyForm = {
  name: "Taken",
  scopes: "queue:read",
  days: "9",
  allowIps: "203.0.113.1",
  requestsPerMinute: "1",
  writesPerMinute: "1",
};
const { scopes: _, days: __, ...keyChange } = keyForm;
const visitForm = {
  date: "2026-11-21",
  slotTime: "11:00",
  durationMinutes: "15",
  status: "CANCELLED",
  serviceId: "",
  customerName: "Taken",
  customerPhone: "",
  notes: "",
};
const serviceForm = { name: "Taken", price: "1", baseTimeMinutes: "1" };
const passwordForm = { current: password, password: another, again: another };
const queueForm = { name: "Taken", tokenSeries: "T" };

/** An action on a resource of a business, with its id in the path. */
const resourceActions: readonly Action[] = [
  { act: "changes a key", path: key, fields: keyChange },
  { act: "revokes a key", path: (clinic) => `${key(clinic)}/revoke`, fields: {} },
  { act: "replaces a key", path: (clinic) => `${key(clinic)}/rotate`, fields: { days: "9" } },
  { act: "changes a service", path: offered, fields: serviceForm },
  { act: "switches a service", path: (c) => `${offered(c)}/switch`, fields: { active: "off" } },
  { act: "changes a queue", path: queue, fields: queueForm },
  { act: "switches a queue", path: (c) => `${queue(c)}/switch`, fields: { isActive: "off" } },
  { act: "changes an appointment", path: visit, fields: visitForm },
  { act: "sets an appointment", path: (c) => `${visit(c)}/status`, fields: { status: "NO_SHOW" } },
];

/** An action on the business of the session. */
const businessActions: readonly Action[] = [
  { act: "makes a key", path: () => "/keys", fields: keyForm },
  { act: "switches access off", path: () => "/keys/access", fields: { access: "off" } },
  { act: "adds a service", path: () => "/services", fields: serviceForm },
  { act: "adds a queue", path: () => "/queues", fields: queueForm },
  { act: "adds an appointment", path: () => "/appointments", fields: visitForm },
  { act: "changes the password", path: () => "/account", fields: passwordForm },
];

const resourcePages: readonly (readonly [string, (clinic: Clinic) => string])[] = [
  ["a key", key],
  ["the confirmation before it is revoked", (clinic) => `${key(clinic)}/revoke`],
  ["the confirmation before it is replaced", (clinic) => `${key(clinic)}/rotate`],
  ["a pending replacement", (clinic) => `${key(clinic)}/rotate/${clinic.keyId()}`],
  ["the log of a key", (clinic) => `/audit?key=${clinic.keyId()}`],
  ["the file of a key's log", (clinic) => `/audit.csv?key=${clinic.keyId()}`],
  ["the statistics of a queue", (clinic) => `/statistics?queue=${clinic.queue()}`],
  ["a service", offered],
  ["a queue", queue],
  ["an appointment", visit],
];

const otherPages = [
  ...["", "/keys", "/keys/new", "/keys/access", "/audit", "/audit.csv", "/statistics"],
  ...["/services", "/services/new", "/queues", "/queues/new"],
  ...["/appointments", "/appointments/new"],
];

/** All data that the actions can change. */
async function stateOf(clinic: Clinic): Promise<unknown> {
  const client = clinic.client();
  const me = await client.me();
  expectStatus(me, 200);
  return [
    me.data,
    (await client.services()).data,
    (await client.queues()).data,
    (await client.appointments()).data,
    await service.store.accounts.list(clinic.id),
  ];
}

describe("the data of another business", async () => {
  const { clinic: theirs, visitor: known } = await ownedClinic(service, seed);
  const { visitor } = await ownedClinic(service, seed);

  test.each(resourcePages)("%s is on no page of this business", async (_, path) => {
    const answer = await visitor.get(`/dashboard${path(theirs)}`);
    expect(answer.status).toBe(404);
    expect(textOf(answer.body)).toContain("Page not found");
    expect((await known.get(`/dashboard${path(theirs)}`)).status).toBe(200);
  });

  test.each(resourceActions)("no owner of another business $act", async ({ path, fields }) => {
    const before = await stateOf(theirs);
    const answer = await visitor.submit(`/dashboard${path(theirs)}`, fields);
    expect(answer.status).toBe(404);
    expect(await stateOf(theirs)).toEqual(before);
  });

  test("is in no list of this business", async () => {
    const theirs = await service.clinic({
      ...seed,
      name: "Theirs",
      services: [{ name: "Their service" }],
      queues: [{ name: "Their queue", entries: [{ name: "Their customer" }] }],
      appointments: [{ slotTime: "10:30", customer: { name: "Their visitor" } }],
      keys: [{ ...mainKey, name: "Their key" }],
    });
    await theirs.client().me();
    for (const path of otherPages) {
      const { status, body } = await visitor.get(`/dashboard${path}`);
      expect(status).toBe(200);
      expect(body).not.toContain("Their");
    }
  });
});

const changes = sections.flatMap(({ routes }) =>
  Object.keys(routes).filter((route) => route.startsWith("POST ")),
);

test.each(changes)("%s needs the form token, and a page of this site", async (route) => {
  const { clinic, visitor } = await ownedClinic(service, seed);
  const path = `/dashboard${route.slice("POST ".length).replace(/:\w+/g, clinic.queue())}`;
  const before = await stateOf(clinic);
  const token = `form_token=${visitor.formToken}`;
  for (const [body, headers] of [
    ["", {}],
    [token, { Origin: "https://evil.example" }],
  ] as const) {
    expect((await visitor.send("POST", path, body, headers)).status).toBe(403);
  }
  expect(await stateOf(clinic)).toEqual(before);
});

test("a visitor who is not signed in is redirected to the sign-in for every request", async () => {
  const clinic = await service.clinic(seed);
  const before = await stateOf(clinic);
  const stranger = visitorOf(service);
  const pages = [...otherPages, ...resourcePages.map(([, path]) => path(clinic))];
  for (const path of pages) {
    const { status, location } = await stranger.get(`/dashboard${path}`);
    expect([status, location?.split("?")[0]]).toEqual([303, "/dashboard/sign-in"]);
  }
  for (const { path, fields } of [...resourceActions, ...businessActions]) {
    expect((await stranger.submit(`/dashboard${path(clinic)}`, fields)).status).toBe(303);
  }
  expect(await stateOf(clinic)).toEqual(before);
});

test("names that are HTML are text on every page that shows them", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
  const { clinic, visitor } = await ownedClinic(service, {
    name: hostile,
    services: [{ ref: "consult", name: hostile }],
    queues: [{ ref: "front", name: hostile }],
    appointments: [
      {
        ref: "visit",
        slotTime: "10:30",
        service: "consult",
        customer: { name: hostile },
        notes: hostile,
      },
    ],
    keys: [{ ...mainKey, name: hostile, days: 10 }],
  });
  await clinic.client().create(clinic.queue(), { name: hostile, phone: "919800000001" });
  await clinic.client().get(`/v1/${encodeURIComponent("<script>alert(1)</script>")}`);
  await expect
    .poll(async () => (await visitor.get("/dashboard/audit")).body)
    .toContain("script%3E");
  const pages = [...otherPages, ...resourcePages.map(([, path]) => path(clinic))].filter(
    (path) => !path.includes(".csv"),
  );
  for (const path of pages) {
    const { status, body } = await visitor.get(`/dashboard${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect(body).toContain("&lt;script&gt;");
    expect(body).not.toMatch(
      /<script(?! src="\/dashboard\/assets\/)|<img(?! src="\/dashboard\/assets\/)/,
    );
  }
  const again = await visitor.submit("/dashboard/services", { name: hostile, price: hostile });
  expect(again.status).toBe(422);
  expect(again.body).not.toMatch(/<img(?! src="\/dashboard\/assets\/)/);
});

test.each([
  ["   ", "Blank name"],
  ["\u200F\u202E\u2060\u3164", "Blank name"],
  ["\u202EAnna", "\u202EAnna"],
  ["\u05D3\u05E0\u05D4", "\u05D3\u05E0\u05D4"],
  ["\u{1F600}", "\u{1F600}"],
])(
  "the invisible or bidirectional name %j is isolated and visible on each page",
  async (name, shown) => {
    const { clinic, visitor } = await ownedClinic(service, {
      appointments: [{ ref: "visit", slotTime: "10:30", customer: { name } }],
    });
    const created = await clinic.client().create(clinic.queue(), { name, phone: "919800000001" });
    expect(created.data.customer.name).toBe(name);
    const person = `/board/people/${created.data.id}`;
    for (const path of ["", person, "/appointments"]) {
      const { body } = await visitor.get(`/dashboard${path}`);
      expect(body.match(/<bdi>.*?<\/bdi>/g)).toContain(`<bdi>${shown}</bdi>`);
      // A field isolates its own value.
      expect(body.replaceAll(/<bdi>.*?<\/bdi>| value="[^"]*"/g, "")).not.toMatch(/[\u200F\u202E]/);
    }
    const { body } = await visitor.get(`/dashboard${person}`);
    expect(/<title>(.*?) · /.exec(body)?.[1]).toBe(`A1 ${shown.replace("\u202E", "")}`);
  },
);
