import { describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expect.js";
import { testService } from "../support/service.js";
import { fill, fillAndFollow } from "./support/form.js";
import { errorAt, linkTo, rowsOf, textOf, typedIn } from "./support/html.js";
import { signedInVisitor } from "./support/visitor.js";

const service = await testService();

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

  test("have an explanation when the list is empty", async () => {
    const visitor = await signedInVisitor(service, await service.clinic({ queues: [] }));
    const { body } = await visitor.get("/dashboard/queues");
    expect(linkTo(body, "Add the first queue")).toBe("/dashboard/queues/new");
  });

  test("issue tokens with their series as soon as they are added", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await fillAndFollow(visitor, "/dashboard/queues", pharmacy);
    expect(textOf(body)).toContain("The queue is added.");
    const [, added] = (await clinic.client().queues()).data;
    expect(added).toMatchObject({ name: "Pharmacy", isActive: true, isTokenCreationPaused: false });
    const { data } = await clinic.client().create(added?.id ?? "");
    expect(data).toMatchObject({ token: "P1", tokenSeries: "P" });
  });

  test("are at most 100, because the board shows all of them", async () => {
    const queues = Array.from({ length: 99 }, (_, n) => ({ name: `Counter ${n}` }));
    const visitor = await signedInVisitor(service, await service.clinic({ queues }));
    expect((await fill(visitor, "/dashboard/queues", pharmacy)).status).toBe(303);
    const { status, body } = await fill(visitor, "/dashboard/queues", pharmacy);
    expect(status).toBe(422);
    expect(textOf(body)).toContain("A business has at most 100 queues.");
    expect(rowsOf((await visitor.get("/dashboard/queues")).body)).toHaveLength(100);
  });

  test("have letters that no other queue has, or else a warning", async () => {
    const queues = [{ name: "Front desk" }, { ref: "b", name: "Doctor", tokenSeries: "B" }];
    const visitor = await signedInVisitor(service, await service.clinic({ queues }));
    const { body } = await visitor.get("/dashboard/queues/new");
    expect(typedIn(body, "tokenSeries")).toBe("C");
    const same = { ...pharmacy, tokenSeries: "B" };
    const added = await fillAndFollow(visitor, "/dashboard/queues", same);
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
        expect((await fill(visitor, `/dashboard/${path}`, { ...form, id })).status).toBe(303);
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
    await fillAndFollow(visitor, here, { ...pharmacy, isTokenCreationPaused: "on" });
    const [queue] = (await clinic.client().queues()).data;
    expect(queue).toMatchObject({ name: "Pharmacy", isActive: true, isTokenCreationPaused: true });
    await fillAndFollow(visitor, here, pharmacy);
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
    await fillAndFollow(visitor, `${b}/up`);
    const names = async () => (await clinic.client().queues()).data.map(({ name }) => name);
    expect(await names()).toEqual(["Second", "First"]);
    expect(textOf((await visitor.get(`${b}/remove`)).body)).toContain("Remove this queue?");
    await clinic.client().create(clinic.queue("a"));
    const kept = await fillAndFollow(visitor, `/dashboard/queues/${clinic.queue("a")}/remove`);
    expect(textOf(kept.body)).toContain("First is in use, so it stays. Close it instead.");
    const gone = await fillAndFollow(visitor, `${b}/remove`);
    expect(textOf(gone.body)).toContain("The queue is removed.");
    expect(await names()).toEqual(["First"]);

    const inUse = `/dashboard/services/${clinic.service()}/remove`;
    expect(textOf((await fillAndFollow(visitor, inUse)).body)).toContain("so it stays");
    const visit = `/dashboard/appointments/${clinic.appointment("visit")}/remove`;
    expect(textOf((await visitor.get(visit)).body)).toContain("Remove this appointment?");
    const removed = await fillAndFollow(visitor, visit);
    expect(textOf(removed.body)).toContain("The appointment at 10:00 is removed.");
    expect((await clinic.client().appointments()).data).toEqual([]);
    await fillAndFollow(visitor, inUse);
    expect((await clinic.client().services()).data).toEqual([]);
  });

  test("are closed and opened", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const here = `/dashboard/queues/${clinic.queue()}/switch`;
    await fillAndFollow(visitor, here, { isActive: "off" });
    const refused = await clinic.client().create(clinic.queue());
    expectRefusal(refused, 409, "queue_unavailable");
    await fillAndFollow(visitor, here, { isActive: "on" });
    expect((await clinic.client().create(clinic.queue())).status).toBe(201);
  });

  test.each([
    ["name", "", "Name is required."],
    ["tokenSeries", "A1", "Letters on its tokens must be 1 to 10 letters from A to Z."],
    ["tokenSeries", "ABCDEFGHIJK", "Letters on its tokens must be 1 to 10 letters from A to Z."],
  ])("with %s %j show an error at the field, and store nothing", async (field, typed, message) => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    for (const path of ["/dashboard/queues", `/dashboard/queues/${clinic.queue()}`]) {
      const { status, body } = await fill(visitor, path, { ...pharmacy, [field]: typed });
      expect(status).toBe(422);
      expect(errorAt(body, field)).toBe(message);
      expect(typedIn(body, field)).toBe(typed);
    }
    expect((await clinic.client().queues()).data).toMatchObject([{ name: "Front desk" }]);
  });
});
