import { describe, expect, test } from "vitest";
import { expectWrong } from "../support/expect.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { type BusinessSeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { messageOn } from "./support/board.js";
import { errorAt, fieldIn, linkTo, rowsOf, textOf } from "./support/html.js";
import {
  busyDesk,
  cookieHeader,
  inviteOwner,
  ownedClinic,
  type Visitor,
} from "./support/visitor.js";

const changes = gate();
const service = await testService({ interpose: held("queues", "change", { before: changes }) });
const { store } = service;

/** A business that has one of each, and a service that is switched off. */
const seed: BusinessSeed = {
  keys: [wideKey],
  services: [
    { ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 },
    { ref: "gone", name: "Massage", active: false },
  ],
  appointments: [
    { ref: "visit", slotTime: "09:15", service: "consult" },
    { ref: "old", slotTime: "10:00", date: "today+1", service: "gone" },
  ],
};

/** Forms that add something, filled in with valid values. */
const filled = {
  queues: { name: "Pharmacy", tokenSeries: "P", isActive: "on" },
  services: { name: "X-ray", price: "450", baseTimeMinutes: "20", active: "on" },
  appointments: {
    date: "2026-11-21",
    slotTime: "11:45",
    durationMinutes: "25",
    status: "CONFIRMED",
    serviceId: "",
    customerName: "Customer 9",
    customerPhone: "+91 98000 00009",
    notes: "",
  },
  keys: {
    name: "Kiosk",
    scopes: ["queue:read", "queue:write"],
    days: "90",
    allowIps: "",
    requestsPerMinute: "120",
    writesPerMinute: "30",
  },
  staff: { email: "bert@clinic.example", role: "staff" },
} as const;
type Kind = keyof typeof filled;

const pathOf = (kind: Kind) => `/dashboard/${kind}`;
const listed = async (visitor: Visitor, kind: Kind) =>
  rowsOf((await visitor.get(pathOf(kind))).body);

describe("a form to add or to change something", async () => {
  const { clinic, visitor } = await ownedClinic(service, seed);
  const other = await service.clinic();
  await inviteOwner(service, clinic, "taken@clinic.example");
  const ids: Partial<Record<Kind, string>> = {
    queues: clinic.queue(),
    services: clinic.service(),
    keys: clinic.keyId(),
    appointments: clinic.appointment("visit"),
  };
  const letters = "Letters on its tokens must be 1 to 10 letters from A to Z.";
  const price = "Price must be a whole number from 0 to 1000000000.";
  const minutes = "Usual time in minutes must be a whole number from 0 to 1440.";
  const days = "Lifetime in days must be a whole number from 1 to 365.";
  const off = /^This service is switched off or was removed/;

  test.each<[Kind, string, string | string[], string | RegExp]>([
    ["queues", "name", "", "Name is required."],
    ["queues", "tokenSeries", "A1", letters],
    ["queues", "tokenSeries", "ABCDEFGHIJK", letters],
    ["services", "name", " ".repeat(5), "Name is required."],
    ["services", "price", "3.50", price],
    ["services", "baseTimeMinutes", "1441", minutes],
    ["appointments", "date", "", "Day is required."],
    ["appointments", "date", "2026-02-30", "Day must be a day that exists."],
    ["appointments", "slotTime", "25:00", "Time must be a time that exists."],
    ["appointments", "durationMinutes", "0", "Minutes must be a whole number from 1 to 1440."],
    ["appointments", "customerPhone", "123", /^Phone number must be 8 to 20 digits/],
    ["appointments", "customerName", "x".repeat(121), /^Name must be 1 to 120 characters/],
    ["appointments", "notes", "x".repeat(2_001), "Notes must be at most 2000 characters."],
    ["appointments", "serviceId", clinic.service("gone"), off],
    ["appointments", "serviceId", other.service(), off],
    ["keys", "name", "", "Name is required."],
    ["keys", "scopes", [], "Permissions must name at least one scope."],
    ["keys", "scopes", ["queue:admin"], /^Permissions, number 1, must be one of queue:read/],
    ["keys", "days", "soon", days],
    ["keys", "allowIps", "203.0.113.7 10.0.0.0/33", /^Addresses, number 2, must be an IPv4 addr/],
    ["keys", "requestsPerMinute", "0", /^Requests a minute must be a whole number/],
    ["keys", "writesPerMinute", "-1", /^Writes a minute must be a whole number/],
    ["staff", "email", "nobody", /^Enter an e-mail address/],
    ["staff", "email", "Taken@clinic.example", /has an account already/],
    ["staff", "role", "king", "Choose staff or owner."],
  ])("of %s with %s %.20j shows an error at the field, and stores nothing", async (...row) => {
    const [kind, field, typed, said] = row;
    const before = await listed(visitor, kind);
    const { scopes: _, days: __, ...lasting } = { scopes: [], days: "", ...filled[kind] };
    const isFixed = field === "scopes" || field === "days"; // a key never changes them
    const id = isFixed ? undefined : ids[kind];
    for (const [path, form] of [
      [pathOf(kind), filled[kind]],
      ...(id === undefined ? [] : [[`${pathOf(kind)}/${id}`, lasting] as const]),
    ] as const) {
      const { status, body } = await visitor.submit(path, { ...form, [field]: typed });
      expect(status).toBe(422);
      expect(errorAt(body, field)).toEqual(
        typeof said === "string" ? said : expect.stringMatching(said),
      );
      if (typeof typed === "string" && !["serviceId", "role"].includes(field))
        expect(fieldIn(body, field)).toBe(typed);
      if (kind === "keys" && field !== "name") expect(fieldIn(body, "name")).toBe("Kiosk");
    }
    expect(await listed(visitor, kind)).toEqual(before);
  });

  test("of an existing key needs its limits, which a new key has by default", async () => {
    const change = { name: "Kiosk", allowIps: "", requestsPerMinute: "", writesPerMinute: "30" };
    const { status, body } = await visitor.submit(`/dashboard/keys/${clinic.keyId()}`, change);
    expect([status, errorAt(body, "requestsPerMinute")]).toEqual([
      ...[422, "Requests a minute is required."],
    ]);
  });

  test.each([
    ["0", "Minutes must be at least 1."],
    ["1441", "Minutes must be at most 1440."],
    ["soon", "Minutes must be a whole number from 1 to 1440, or empty."],
    ["1", null],
    ["1440", null],
    ["", null],
  ])("of the long wait accepts 1 to 1440 minutes or none: %j", async (longWaitMinutes, said) => {
    const to = "/dashboard/settings/long-wait";
    const { status, body } = await visitor.submit(to, { longWaitMinutes });
    expect([status, errorAt(body, "longWaitMinutes")]).toEqual([said ? 422 : 303, said]);
  });
});

test.each<[Kind, number]>([
  ["queues", 303],
  ["services", 303],
  ["appointments", 303],
  ["keys", 409],
])("%s are added once by a form that is sent twice", async (kind, second) => {
  const { visitor } = await ownedClinic(service, { ...seed, appointments: [] });
  const { visitor: other } = await ownedClinic(service, { ...seed, appointments: [] });
  const id = fieldIn((await visitor.get(`${pathOf(kind)}/new`)).body, "id");
  const { length: before } = await listed(visitor, kind);
  await visitor.submit(pathOf(kind), { ...filled[kind], id });
  const again = await visitor.submit(pathOf(kind), { ...filled[kind], id });
  expect(again.status).toBe(second);
  expect(again.body).not.toMatch(/svc_live_/);
  if (kind === "keys") expect(textOf(again.body)).toContain("was made already");
  expect(await listed(visitor, kind)).toHaveLength(before + 1);
  await other.submit(pathOf(kind), { ...filled[kind], id }); // an id is of its business alone
  expect(await listed(other, kind)).toHaveLength(before + 1);
});

test("an empty list explains what to do", async () => {
  const { visitor } = await ownedClinic(service, { queues: [], services: [], keys: [] });
  for (const [list, words, to] of [
    ["/queues", "Add the first queue", "/queues/new"],
    ["/services", "Add the first service", "/services/new"],
    ["/keys", "Make the first key", "/keys/new"],
    ["/audit", "Make a key", "/keys"],
  ] as const)
    expect(linkTo((await visitor.get(`/dashboard${list}`)).body, words)).toBe(`/dashboard${to}`);
});

test.each([
  ["queues", 100],
  ["services", 300],
] as const)("a business has at most %s: %i", async (kind, most) => {
  const many = Array.from({ length: most - 1 }, (_, n) => ({ name: `Number ${n}` }));
  const { visitor } = await ownedClinic(service, { [kind]: many });
  expect((await visitor.submit(pathOf(kind), filled[kind])).status).toBe(303);
  const { status, body } = await visitor.submit(pathOf(kind), filled[kind]);
  expect(status).toBe(422);
  expect(textOf(body)).toContain(`A business has at most ${most} ${kind}.`);
  expect(await listed(visitor, kind)).toHaveLength(most);
});

test("queues are listed with their letters and state, in the order of addition", async () => {
  const queues = [
    { name: "Front desk" },
    { name: "Laboratory", tokenSeries: "LAB", isTokenCreationPaused: true },
    { name: "Night", isActive: false },
  ];
  const { visitor } = await ownedClinic(service, { queues });
  expect(await listed(visitor, "queues")).toEqual([
    ["Front desk", "A1, A2 …", "Open", "Close Front desk"],
    ["Laboratory", "LAB1, LAB2 …", "Paused", "Move up : Laboratory Close Laboratory"],
    ["Night", "A1, A2 …", "Closed", "Move up : Night Open Night"],
  ]);
});

describe("queues", () => {
  test("issue tokens with their series as soon as they are added or changed", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const api = clinic.client();
    const { body } = await visitor.submitAndFollow("/dashboard/queues", filled.queues);
    expect(textOf(body)).toContain("Pharmacy is added.");
    const added = async () => (await api.queues()).data[1];
    const { id = "", ...flags } = (await added()) ?? {};
    expect(flags).toEqual({ name: "Pharmacy", isActive: true, isTokenCreationPaused: false });
    const first = (await api.create(id)).data;
    expect(first).toMatchObject({ token: "P1", tokenSeries: "P" });

    const here = `/dashboard/queues/${id}`;
    expect(fieldIn((await visitor.get(here)).body, "tokenSeries")).toBe("P");
    const change = { ...filled.queues, name: "Shop", tokenSeries: "S" };
    await visitor.submitAndFollow(here, { ...change, isTokenCreationPaused: "on" });
    expect(await added()).toEqual({ id, ...flags, name: "Shop", isTokenCreationPaused: true });
    await visitor.submitAndFollow(here, change);
    for (const isActive of ["off", "on"]) {
      await visitor.submitAndFollow(`${here}/switch`, { isActive });
      expect((await added())?.isActive).toBe(isActive === "on");
    }
    expect((await api.create(id)).data.token).toBe("S2");
    expect((await api.entry(first.id)).data.token).toBe("P1");
  });

  test("keep small letters that are left alone", async () => {
    const queues = [{ ref: "front", name: "Front desk", tokenSeries: "ab" }];
    const { visitor, clinic } = await ownedClinic(service, { queues });
    const form = { ...filled.queues, tokenSeries: "ab", revision: "0" };
    await visitor.submitAndFollow(`/dashboard/queues/${clinic.queue()}`, form);
    expect((await clinic.client().queues()).data[0]).toMatchObject({ name: "Pharmacy" });
    expect((await clinic.client().create(clinic.queue())).data.token).toBe("ab1");
  });

  test("have letters that no other queue has, or else a warning", async () => {
    const queues = [{ name: "Front desk" }, { name: "Doctor", tokenSeries: "B" }];
    const { visitor } = await ownedClinic(service, { queues });
    const { body } = await visitor.get("/dashboard/queues/new");
    expect(fieldIn(body, "tokenSeries")).toBe("C");
    const same = { ...filled.queues, tokenSeries: "b" };
    const added = await visitor.submitAndFollow("/dashboard/queues", same);
    expect(textOf(added.body)).toContain("Its tokens begin with B, as those of Doctor");
  });

  test.each(["\u{1F600}".repeat(120), `x${"\u{1F600}".repeat(119)}`, "\u0915".repeat(120)])(
    "say what was done also with long names (%#)",
    async (name) => {
      const { visitor } = await ownedClinic(service, { queues: [{ name }] });
      const same = { ...filled.queues, name, tokenSeries: "A" };
      const { setCookies, location } = await visitor.submit("/dashboard/queues", same);
      expect(setCookies).toEqual([expect.stringMatching(/^queue_api_flash=.{300,4000}$/)]);
      const { text } = messageOn((await visitor.get(location ?? "")).body);
      expect(text).toMatch(/Its tokens begin with A, as those .*[^\p{Cs}\uFFFD]…$/u);
    },
  );
});

test("services are listed, and in the API as soon as they are added, changed or switched", async () => {
  const { clinic, visitor } = await ownedClinic(service, { services: [] });
  const api = clinic.client();
  const { body } = await visitor.submitAndFollow("/dashboard/services", filled.services);
  expect(textOf(body)).toContain("X-ray is added.");
  expect(rowsOf(body)).toEqual([["X-ray", "20 min", "₹450", "Offered", "Switch off X-ray"]]);
  const [{ id, ...added } = { id: "" }] = (await api.services()).data;
  expect(added).toEqual({ name: "X-ray", price: 450, baseTimeMinutes: 20 });
  const person = { name: "Customer 1", phone: "919800000001", serviceId: id };
  expect((await api.create(clinic.queue(), person)).status).toBe(201);
  const here = `/dashboard/services/${id}`;
  expect(fieldIn((await visitor.get(here)).body, "price")).toBe("450");
  const changed = { name: "Long talk", price: "", baseTimeMinutes: "", active: "on" };
  await visitor.submitAndFollow(here, changed);
  const none = { price: null, baseTimeMinutes: null };
  expect((await api.services()).data).toEqual([{ id, name: "Long talk", ...none }]);
  const off = await visitor.submitAndFollow(`${here}/switch`, { active: "off" });
  const row = ["Long talk", "unknown", "none", "Off", "Switch on Long talk"];
  expect(rowsOf(off.body)).toEqual([row]);
  expect((await api.services()).data).toEqual([]);
  expectWrong(await api.create(clinic.queue(), person), "serviceId");
  await visitor.submitAndFollow(`${here}/switch`, { active: "on" });
  expect((await api.create(clinic.queue(), person)).status).toBe(201);
});

describe("an appointment", () => {
  test("is in the API as soon as it is added, without its notes", async () => {
    const { clinic, visitor } = await ownedClinic(service);
    const form = { ...filled.appointments, serviceId: clinic.service(), notes: "knee" };
    const { body } = await visitor.submitAndFollow("/dashboard/appointments", form);
    expect(rowsOf(body)[0]).toEqual(
      expect.arrayContaining(["11:45 Customer 9", "Customer 9 +919800000009 knee", "Consultation"]),
    );
    expect((await clinic.client().appointments()).data).toEqual([
      {
        id: expect.any(String),
        date: "2026-11-21",
        slotTime: "11:45",
        durationMinutes: 25,
        status: "CONFIRMED",
        serviceId: clinic.service(),
        customer: { name: "Customer 9", phone: "919800000009" },
      },
    ]);
    const nobody = { ...filled.appointments, customerName: "", customerPhone: "" };
    await visitor.submitAndFollow("/dashboard/appointments", { ...nobody, date: "2026-11-23" });
    const { data } = await clinic.client().appointments({ date: "2026-11-23" });
    expect(data).toMatchObject([{ serviceId: null, customer: { name: null, phone: null } }]);
  });

  test("moves to another day and time, and keeps an inactive service", async () => {
    const { clinic, visitor } = await ownedClinic(service, seed);
    const here = `/dashboard/appointments/${clinic.appointment("old")}`;
    const { body } = await visitor.get(here);
    expect(fieldIn(body, "slotTime")).toBe("10:00");
    const serviceId = clinic.service("gone");
    expect(body).toContain(`<option value="${serviceId}" selected>Massage</option>`);
    await visitor.submitAndFollow(here, { ...filled.appointments, serviceId });
    const moved = (await clinic.client().appointment(clinic.appointment("old"))).data;
    expect(moved).toMatchObject({ date: "2026-11-21", slotTime: "11:45", serviceId });
  });
});

test("what is in use stays, and what is not is removed after a question", async () => {
  const queues = ["First", "Second"].map((name) => ({ ref: name, name }));
  const { clinic, visitor } = await ownedClinic(service, { ...seed, queues });
  const api = clinic.client();
  await api.create(clinic.queue("First"));
  for (const [kind, id, asked, said] of [
    ["queues", clinic.queue("First"), null, "First is in use, so it stays. Close it instead."],
    ["services", clinic.service(), null, "so it stays"],
    ["queues", clinic.queue("Second"), "Remove this queue?", "Second is removed."],
    ["appointments", clinic.appointment("visit"), "Remove this appointment?", "09:15 is removed"],
    ["services", clinic.service(), "Remove this service?", "Consultation is removed."],
  ] as const) {
    const path = `${pathOf(kind)}/${id}/remove`;
    const { body, location } = await visitor.get(path);
    expect(location).toBe(asked === null ? pathOf(kind) : null); // it does not ask first
    const shown = location === null ? body : (await visitor.get(location)).body;
    expect(textOf(shown)).toContain(asked ?? said);
    expect(textOf((await visitor.submitAndFollow(path)).body)).toContain(said);
  }
  expect((await api.queues()).data).toMatchObject([{ name: "First" }]);
  expect([(await api.appointments()).data, (await api.services()).data]).toEqual([[], []]);
});

describe("a form that was shown before another change", async () => {
  const { clinic, visitor } = await busyDesk(service, seed);
  const inLine = `/dashboard/board/people/${clinic.entry("first")}`;
  const { scopes: _, days: __, ...key } = filled.keys;
  const settings = "/dashboard/settings";
  const visit = `${pathOf("appointments")}/${clinic.appointment("visit")}`;
  /** What the form with an action says of the record as it was shown. */
  const seenIn = (body: string, action: string) => {
    const form = body.slice(body.indexOf(`action="${action}"`));
    const names = ["revision", "known", "replaces"];
    return Object.fromEntries(names.map((name) => [name, fieldIn(form, name)]));
  };

  test.each<[path: string, page: string, field: string, theirs: string, ours: string, object]>([
    [`${pathOf("queues")}/${clinic.queue()}`, "", "name", "First", "Second", filled.queues],
    [`${pathOf("services")}/${clinic.service()}`, "", "name", "First", "Second", filled.services],
    [visit, "", "customerName", "First", "Second", filled.appointments],
    [inLine, "", "name", "First", "Second", { phone: "", service: "" }],
    [`${pathOf("keys")}/${clinic.keyId()}`, "", "name", "First", "Second", key],
    [`${settings}/long-wait`, settings, "longWaitMinutes", "10", "20", {}],
    [`${settings}/display/options`, settings, "theme", "dark", "light", { queue: clinic.queue() }],
  ])("(%s) does not overwrite it, until it is sent again", async (...row) => {
    const [path, pageOf, field, theirs, ours, form] = row;
    const page = async () => (await visitor.get(pageOf || path)).body;
    const ourForm = { ...form, [field]: ours };
    const seen = seenIn(await page(), path);
    await visitor.submit(path, { ...form, ...seen, [field]: theirs });

    const refused = await visitor.submit(path, { ...ourForm, ...seen });
    expect(refused.status).toBe(422);
    expect(textOf(refused.body)).toContain("Another person has changed this.");
    expect(fieldIn(refused.body, field)).toBe(ours);
    expect(fieldIn(await page(), field)).toBe(theirs);

    await visitor.submitAndFollow(path, { ...ourForm, ...seenIn(refused.body, path) });
    expect(fieldIn(await page(), field)).toBe(ours);
  });

  test("is accepted if the change was to other settings, also with many queues chosen", async () => {
    const queues = [..."ABCDEFGHIJKL"].map((ref) => ({ ref, name: ref, tokenSeries: ref }));
    const { clinic, visitor } = await ownedClinic(service, { queues });
    const chosen = queues.slice(1).map(({ ref }) => clinic.queue(ref));
    const [minutes, display] = [`${settings}/long-wait`, `${settings}/display/options`];
    for (const theme of ["dark", "light", ""]) {
      const { body } = await visitor.get(settings);
      await visitor.submit(minutes, { longWaitMinutes: "30" });
      const options = { theme, queue: chosen, ...seenIn(body, display) };
      expect((await visitor.submit(display, options)).status).toBe(303);
    }
  });
});

test("a change whose client hangs up before the answer has its audit row", async () => {
  const { clinic, visitor } = await ownedClinic(service);
  changes.close();
  const leaving = new AbortController();
  const submitted = fetch(`${service.url}/dashboard/queues/${clinic.queue()}/switch`, {
    method: "POST",
    headers: { ...cookieHeader(visitor), Origin: service.url },
    body: new URLSearchParams({ form_token: visitor.formToken, isActive: "off" }),
    signal: leaving.signal,
  });
  await changes.reached(1);
  leaving.abort(new Error("gone"));
  await expect(submitted).rejects.toThrow("gone");
  changes.open();
  await expect.poll(async () => (await store.queues.list(clinic.id))[0]?.isActive).toBe(false);
  const [row] = await service.owner.audit(clinic.slug, 10);
  const path = expect.stringMatching(/close$/);
  expect(row).toMatchObject({ method: "POST", path, status: 200 });
});
