import { describe, expect, test } from "vitest";
import { expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";
import { fill, fillAndFollow } from "./support/form.js";
import { errorAt, linkTo, rowsOf, textOf, typedIn } from "./support/html.js";
import { signedInVisitor } from "./support/visitor.js";

const service = await testService();

const xray = { name: "X-ray", price: "450", baseTimeMinutes: "20", active: "on" };

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

  test("have an explanation when the list is empty", async () => {
    const visitor = await signedInVisitor(service, await service.clinic({ services: [] }));
    const { body } = await visitor.get("/dashboard/services");
    expect(linkTo(body, "Add the first service")).toBe("/dashboard/services/new");
  });

  test("are in the API as soon as they are added", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await fillAndFollow(visitor, "/dashboard/services", xray);
    expect(textOf(body)).toContain("The service is added.");
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
    await fillAndFollow(visitor, here, changed);
    expect((await clinic.client().services()).data).toEqual([
      { id: clinic.service(), name: "Long talk", price: null, baseTimeMinutes: null },
    ]);
  });

  test("are at most 300, because each form for a new person shows all of them", async () => {
    const services = Array.from({ length: 299 }, (_, n) => ({ name: `Test ${n}` }));
    const visitor = await signedInVisitor(service, await service.clinic({ services }));
    expect((await fill(visitor, "/dashboard/services", xray)).status).toBe(303);
    const { status, body } = await fill(visitor, "/dashboard/services", xray);
    expect(status).toBe(422);
    expect(textOf(body)).toContain("A business has at most 300 services.");
    expect(rowsOf((await visitor.get("/dashboard/services")).body)).toHaveLength(300);
  });

  test("can be switched off and on again", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const here = `/dashboard/services/${clinic.service()}/switch`;
    const person = { name: "Customer 1", phone: "919800000001", serviceId: clinic.service() };
    await fillAndFollow(visitor, here, { active: "off" });
    expect((await clinic.client().services()).data).toEqual([]);
    expectWrong(await clinic.client().create(clinic.queue(), person), "serviceId");
    await fillAndFollow(visitor, here, { active: "on" });
    expect((await clinic.client().create(clinic.queue(), person)).status).toBe(201);
  });

  test.each([
    ["name", "", "Name is required."],
    ["name", " ".repeat(5), "Name is required."],
    ["price", "3.50", "Price must be a whole number from 0 to 1000000000."],
    ["price", "-1", "Price must be a whole number from 0 to 1000000000."],
    ["baseTimeMinutes", "1441", "Usual time in minutes must be a whole number from 0 to 1440."],
  ])("with %s %j show an error at the field, and store nothing", async (field, typed, message) => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    for (const path of ["/dashboard/services", `/dashboard/services/${clinic.service()}`]) {
      const { status, body } = await fill(visitor, path, { ...xray, [field]: typed });
      expect(status).toBe(422);
      expect(errorAt(body, field)).toBe(message);
      expect(typedIn(body, field)).toBe(typed);
    }
    expect((await clinic.client().services()).data).toMatchObject([{ name: "Consultation" }]);
  });
});
