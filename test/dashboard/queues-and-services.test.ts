import { describe, expect, test } from "vitest";
import { expectRefusal, expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";
import { errorAt, linkTo, rowsOf, textOf, typedIn } from "./support/html.js";
import { signedInVisitor } from "./support/visitor.js";

const service = await testService();

const xray = { name: "X-ray", price: "450", baseTimeMinutes: "20", active: "on" };
const pharmacy = { name: "Pharmacy", tokenSeries: "P", isActive: "on" };

describe("queues", () => {
  test("are listed with their tokens and state, in the order of addition", async () => {
    const clinic = await service.clinic({
      queues: [
        { name: "Front desk" },
        { name: "Laboratory", tokenSeries: "LAB", isTokenCreationPaused: true },
        { name: "Night", isActive: false },
      ],
    });
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await visitor.get("/dashboard/queues");
    expect(rowsOf(body)).toEqual([
      ["Front desk", "A1, A2 …", "Open", "Close Front desk"],
      ["Laboratory", "LAB1, LAB2 …", "Paused", "Move up : Laboratory Close Laboratory"],
      ["Night", "A1, A2 …", "Closed", "Move up : Night Open Night"],
    ]);
  });

  test("issue tokens with their series as soon as they are added", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await visitor.submitAndFollow("/dashboard/queues", pharmacy);
    expect(textOf(body)).toContain("Pharmacy is added.");
    const [, added] = (await clinic.client().queues()).data;
    expect(added).toMatchObject({ name: "Pharmacy", isActive: true, isTokenCreationPaused: false });
    const { data } = await clinic.client().create(added?.id ?? "");
    expect(data).toMatchObject({ token: "P1", tokenSeries: "P" });
  });

  test("have letters that no other queue has, or else a warning", async () => {
    const queues = [{ name: "Front desk" }, { ref: "b", name: "Doctor", tokenSeries: "B" }];
    const visitor = await signedInVisitor(service, await service.clinic({ queues }));
    const { body } = await visitor.get("/dashboard/queues/new");
    expect(typedIn(body, "tokenSeries")).toBe("C");
    const same = { ...pharmacy, tokenSeries: "b" };
    const added = await visitor.submitAndFollow("/dashboard/queues", same);
    expect(textOf(added.body)).toContain("Its tokens begin with B, as those of Doctor");
  });

  test("are added once by a form that is sent twice", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const day = { date: "2026-11-23", slotTime: "11:45", durationMinutes: "25" };
    for (const [path, form] of [
      ["queues", pharmacy],
      ["services", { name: "X-ray", active: "on" }],
      ["appointments", { ...day, status: "CONFIRMED" }],
    ] as const) {
      const { body } = await visitor.get(`/dashboard/${path}/new`);
      const id = /name="id" value="(\w+)"/.exec(body)?.[1] ?? "";
      for (let n = 0; n < 2; n++)
        expect((await visitor.submit(`/dashboard/${path}`, { ...form, id })).status).toBe(303);
    }
    const client = clinic.client();
    expect((await client.queues()).data).toHaveLength(2);
    expect((await client.services()).data).toHaveLength(2);
    expect((await client.appointments({ date: "2026-11-23" })).data).toHaveLength(1);
  });

  test("can change name and series, and issued tokens keep their series", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const before = (await clinic.client().create(clinic.queue())).data;
    const here = `/dashboard/queues/${clinic.queue()}`;
    expect(typedIn((await visitor.get(here)).body, "tokenSeries")).toBe("A");
    await visitor.submitAndFollow(here, { ...pharmacy, isTokenCreationPaused: "on" });
    const [queue] = (await clinic.client().queues()).data;
    expect(queue).toMatchObject({ name: "Pharmacy", isActive: true, isTokenCreationPaused: true });
    await visitor.submitAndFollow(here, pharmacy);
    expect((await clinic.client().create(clinic.queue())).data.token).toBe("P2");
    expect((await clinic.client().entry(before.id)).data.token).toBe("A1");
  });

  test("change places, and are removed while nothing refers to them, after a question", async () => {
    const clinic = await service.clinic({
      queues: [
        { ref: "a", name: "First" },
        { ref: "b", name: "Second", tokenSeries: "B" },
      ],
      appointments: [{ ref: "visit", slotTime: "10:00", service: "consult" }],
    });
    const visitor = await signedInVisitor(service, clinic);
    const b = `/dashboard/queues/${clinic.queue("b")}`;
    await visitor.submitAndFollow(`${b}/up`);
    const names = async () => (await clinic.client().queues()).data.map(({ name }) => name);
    expect(await names()).toEqual(["Second", "First"]);
    expect(textOf((await visitor.get(`${b}/remove`)).body)).toContain("Remove this queue?");
    await clinic.client().create(clinic.queue("a"));
    const a = `/dashboard/queues/${clinic.queue("a")}/remove`;
    expect((await visitor.get(a)).location).toBe("/dashboard/queues"); // it does not ask first
    expect(textOf((await visitor.get("/dashboard/queues")).body)).toContain("so it stays");
    const kept = await visitor.submitAndFollow(a);
    expect(textOf(kept.body)).toContain("First is in use, so it stays. Close it instead.");
    const gone = await visitor.submitAndFollow(`${b}/remove`);
    expect(textOf(gone.body)).toContain("Second is removed.");
    expect(await names()).toEqual(["First"]);

    const inUse = `/dashboard/services/${clinic.service()}/remove`;
    expect((await visitor.get(inUse)).location).toBe("/dashboard/services");
    expect(textOf((await visitor.submitAndFollow(inUse)).body)).toContain("so it stays");
    const visit = `/dashboard/appointments/${clinic.appointment("visit")}/remove`;
    expect(textOf((await visitor.get(visit)).body)).toContain("Remove this appointment?");
    const removed = await visitor.submitAndFollow(visit);
    expect(textOf(removed.body)).toContain("The appointment at 10:00 is removed.");
    expect((await clinic.client().appointments()).data).toEqual([]);
    await visitor.submitAndFollow(inUse);
    expect((await clinic.client().services()).data).toEqual([]);
  });

  test("are closed and opened", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const here = `/dashboard/queues/${clinic.queue()}/switch`;
    await visitor.submitAndFollow(here, { isActive: "off" });
    const refused = await clinic.client().create(clinic.queue());
    expectRefusal(refused, 409, "queue_unavailable");
    await visitor.submitAndFollow(here, { isActive: "on" });
    expect((await clinic.client().create(clinic.queue())).status).toBe(201);
  });
});

describe("services", () => {
  test("are listed with time, price and state, in the order of addition", async () => {
    const clinic = await service.clinic({
      services: [
        { name: "Consultation", price: 300, baseTimeMinutes: 15 },
        { name: "Advice", active: false },
      ],
    });
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await visitor.get("/dashboard/services");
    expect(rowsOf(body)).toEqual([
      ["Consultation", "15 min", "₹300", "Offered", "Switch off Consultation"],
      ["Advice", "unknown", "none", "Off", "Switch on Advice"],
    ]);
  });

  test("are in the API as soon as they are added", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await visitor.submitAndFollow("/dashboard/services", xray);
    expect(textOf(body)).toContain("X-ray is added.");
    const [, added] = (await clinic.client().services()).data;
    expect(added).toMatchObject({ name: "X-ray", price: 450, baseTimeMinutes: 20 });
    const person = { name: "Customer 1", phone: "919800000001", serviceId: added?.id };
    expect((await clinic.client().create(clinic.queue(), person)).status).toBe(201);
  });

  test("can change, and can lose their price and their time", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const here = `/dashboard/services/${clinic.service()}`;
    expect(typedIn((await visitor.get(here)).body, "price")).toBe("300");
    const changed = { name: "Long talk", price: "", baseTimeMinutes: "", active: "on" };
    await visitor.submitAndFollow(here, changed);
    expect((await clinic.client().services()).data).toEqual([
      { id: clinic.service(), name: "Long talk", price: null, baseTimeMinutes: null },
    ]);
  });

  test("can be switched off and on again", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const here = `/dashboard/services/${clinic.service()}/switch`;
    const person = { name: "Customer 1", phone: "919800000001", serviceId: clinic.service() };
    await visitor.submitAndFollow(here, { active: "off" });
    expect((await clinic.client().services()).data).toEqual([]);
    expectWrong(await clinic.client().create(clinic.queue(), person), "serviceId");
    await visitor.submitAndFollow(here, { active: "on" });
    expect((await clinic.client().create(clinic.queue(), person)).status).toBe(201);
  });
});

const kinds = {
  queues: { form: pharmacy, first: "Add the first queue", most: 100, kept: "Front desk" },
  services: { form: xray, first: "Add the first service", most: 300, kept: "Consultation" },
} as const;

type Kind = keyof typeof kinds;

describe.each(["queues", "services"] as const)("the %s of a business", (kind) => {
  const { form, first, most } = kinds[kind];
  const path = `/dashboard/${kind}`;

  test("have an explanation when the list is empty", async () => {
    const visitor = await signedInVisitor(service, await service.clinic({ [kind]: [] }));
    expect(linkTo((await visitor.get(path)).body, first)).toBe(`${path}/new`);
  });

  test("are limited in number, because the board and its forms show all of them", async () => {
    const many = Array.from({ length: most - 1 }, (_, n) => ({ name: `Number ${n}` }));
    const visitor = await signedInVisitor(service, await service.clinic({ [kind]: many }));
    expect((await visitor.submit(path, form)).status).toBe(303);
    const { status, body } = await visitor.submit(path, form);
    expect(status).toBe(422);
    expect(textOf(body)).toContain(`A business has at most ${most} ${kind}.`);
    expect(rowsOf((await visitor.get(path)).body)).toHaveLength(most);
  });
});

const letters = "Letters on its tokens must be 1 to 10 letters from A to Z.";
const price = "Price must be a whole number from 0 to 1000000000.";

test.each<[Kind, string, string, string]>([
  ["queues", "name", "", "Name is required."],
  ["queues", "tokenSeries", "A1", letters],
  ["queues", "tokenSeries", "ABCDEFGHIJK", letters],
  ["services", "name", "", "Name is required."],
  ["services", "name", " ".repeat(5), "Name is required."],
  ["services", "price", "3.50", price],
  ["services", "price", "-1", price],
  [
    "services",
    "baseTimeMinutes",
    "1441",
    "Usual time in minutes must be a whole number from 0 to 1440.",
  ],
])(
  "%s with %s %j show an error at the field, and store nothing",
  async (kind, field, typed, said) => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const id = kind === "queues" ? clinic.queue() : clinic.service();
    for (const path of [`/dashboard/${kind}`, `/dashboard/${kind}/${id}`]) {
      const { status, body } = await visitor.submit(path, { ...kinds[kind].form, [field]: typed });
      expect(status).toBe(422);
      expect(errorAt(body, field)).toBe(said);
      expect(typedIn(body, field)).toBe(typed);
    }
    expect((await clinic.client()[kind]()).data).toMatchObject([{ name: kinds[kind].kept }]);
  },
);
