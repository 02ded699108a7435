import { describe, expect, test } from "vitest";
import { morning } from "../support/clock.js";
import type { BusinessSeed } from "../support/seed.js";
import { testService } from "../support/service.js";
import { errorAt, linkTo, rowsOf, textOf, typedIn } from "./support/html.js";
import { signedInVisitor } from "./support/visitor.js";

const service = await testService();
const { clock } = service;

const visits: BusinessSeed = {
  services: [
    { ref: "consult", name: "Consultation" },
    { ref: "gone", name: "Massage", active: false },
  ],
  appointments: [
    {
      ...{ ref: "late", slotTime: "16:00", status: "CHECKED_IN" },
      customer: { name: "Customer 3" },
    },
    {
      ...{ ref: "early", slotTime: "09:15", durationMinutes: 20, service: "consult" },
      ...{ customer: { name: "Customer 2", phone: "919800000002" }, notes: "first visit" },
    },
    { ref: "tomorrow", slotTime: "10:00", date: "today+1", service: "gone" },
  ],
};

const filled = {
  ...{ date: "2026-11-23", slotTime: "11:45", durationMinutes: "25", status: "CONFIRMED" },
  ...{ serviceId: "", customerName: "Customer 9", customerPhone: "+91 98000 00009", notes: "" },
};

describe("the appointments of a day", () => {
  test("are listed by time, with their details and possible actions", async () => {
    const visitor = await signedInVisitor(service, await service.clinic(visits));
    const { body } = await visitor.get("/dashboard/appointments");
    expect(textOf(body)).toContain("Appointments, Sat, 21 Nov 2026");
    expect(rowsOf(body)).toEqual([
      [
        ...["09:15 Customer 2", "20", "Customer 2 919800000002 first visit", "Consultation"],
        ...[
          "Confirmed",
          "Token for Customer 2 in Front desk No token Is here : Customer 2 No-show : Customer 2 Cancel : Customer 2",
        ],
      ],
      [
        ...["16:00 Customer 3", "15", "Customer 3", "–"],
        ...["Is here", "Begin : Customer 3 Cancel : Customer 3"],
      ],
    ]);
  });

  test.each([
    ["customer 2", ["09:15"]],
    ["98000 00002", ["09:15"]],
    ["Customer", ["09:15", "16:00"]],
    ["", ["09:15", "16:00"]],
    ["Nobody", []],
  ])("are found by name or phone, like the people on the board: %j", async (typed, times) => {
    const visitor = await signedInVisitor(service, await service.clinic(visits));
    const { body } = await visitor.get(
      `/dashboard/appointments?${new URLSearchParams({ date: "2026-11-21", q: typed })}`,
    );
    expect(rowsOf(body).map(([time = ""]) => time.slice(0, 5))).toEqual(times);
    expect(typedIn(body, "find")).toBe(typed);
    if (times.length === 0) expect(textOf(body)).toContain("No appointment of this day matches.");
  });

  test("are searched beyond the first page", async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({
      ...{ slotTime: "09:00", customer: { name: at === 100 ? "Last One" : `Customer ${at}` } },
    }));
    const last = { slotTime: "18:00", customer: { name: "Last One" } };
    const clinic = await service.clinic({ appointments: [...many.slice(0, 100), last] });
    const visitor = await signedInVisitor(service, clinic);
    const { body } = await visitor.get("/dashboard/appointments?q=last");
    expect(rowsOf(body).map(([time]) => time)).toEqual(["18:00 Last One"]);
  });

  test("have links to the previous and next day", async () => {
    const visitor = await signedInVisitor(service, await service.clinic(visits));
    const { body } = await visitor.get("/dashboard/appointments?date=2026-12-31");
    expect(linkTo(body, "30 Dec")).toBe("/dashboard/appointments?date=2026-12-30");
    expect(linkTo(body, "1 Jan")).toBe("/dashboard/appointments?date=2027-01-01");
    expect(linkTo(body, "Today")).toBe("/dashboard/appointments?date=2026-11-21");
    expect(linkTo(body, "Make one")).toBe("/dashboard/appointments/new?date=2026-12-31");
  });

  test.each([
    ["2026-02-30", "Day must be a day that exists."],
    ["soon", "Day must be a date like 2026-11-21."],
    ["<b>", "Day must be a date like 2026-11-21."],
  ])("of an invalid day like %j show an error at the field", async (date, message) => {
    const visitor = await signedInVisitor(service, await service.clinic(visits));
    for (const page of ["/dashboard/appointments", "/dashboard/appointments/new"]) {
      const { status, body } = await visitor.get(`${page}?date=${encodeURIComponent(date)}`);
      expect(status).toBe(422);
      expect(errorAt(body, "date")).toBe(message);
    }
  });

  test("use the business's own day", async () => {
    clock.set(Date.parse("2026-11-21T19:00:00Z"));
    const visitor = await signedInVisitor(service, await service.clinic());
    const { body } = await visitor.get("/dashboard/appointments");
    expect(textOf(body)).toContain("Appointments, Sun, 22 Nov 2026");
    clock.set(morning);
  });

  test("beyond a hundred continue on another page, each once", async () => {
    const many = Array.from({ length: 130 }, (_, n) => ({
      slotTime: `${String(8 + Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`,
    }));
    const visitor = await signedInVisitor(service, await service.clinic({ appointments: many }));
    const first = await visitor.get("/dashboard/appointments");
    const second = await visitor.get(linkTo(first.body, "Later appointments"));
    const times = [...rowsOf(first.body), ...rowsOf(second.body)].map(([time]) =>
      time?.slice(0, 5),
    );
    expect(times).toEqual(many.map(({ slotTime }) => slotTime));
    expect(second.body).not.toContain("Later appointments");
  });
});

describe("an appointment", () => {
  test("is created, and the API returns it without its notes", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    const form = { ...filled, serviceId: clinic.service(), notes: "knee" };
    const { body } = await visitor.submitAndFollow("/dashboard/appointments", form);
    expect(rowsOf(body)[0]).toEqual(
      expect.arrayContaining(["11:45 Customer 9", "Customer 9 +919800000009 knee", "Consultation"]),
    );
    const { data } = await clinic.client().appointments({ date: "2026-11-23" });
    expect(data).toEqual([
      {
        id: expect.any(String),
        ...{ date: "2026-11-23", slotTime: "11:45", durationMinutes: 25, status: "CONFIRMED" },
        serviceId: clinic.service(),
        customer: { name: "Customer 9", phone: "919800000009" },
      },
    ]);
  });

  test("can have no customer and no service", async () => {
    const clinic = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    await visitor.submitAndFollow("/dashboard/appointments", {
      ...filled,
      ...{ customerName: "", customerPhone: "" },
    });
    const { data } = await clinic.client().appointments({ date: "2026-11-23" });
    expect(data).toMatchObject([{ serviceId: null, customer: { name: null, phone: null } }]);
  });

  test("changes its status step by step", async () => {
    const clinic = await service.clinic(visits);
    const visitor = await signedInVisitor(service, clinic);
    const early = clinic.appointment("early");
    for (const status of ["CHECKED_IN", "IN_SERVICE", "COMPLETED", "NO_SHOW", "CANCELLED"]) {
      await visitor.submitAndFollow(`/dashboard/appointments/${early}/status`, { status });
      expect((await clinic.client().appointment(early)).data.status).toBe(status);
    }
    const wrong = await visitor.submit(`/dashboard/appointments/${early}/status`, {
      status: "CANCELED", // an entry's word
    });
    expect(wrong.status).toBe(422);
    expect((await clinic.client().appointment(early)).data.status).toBe("CANCELLED");
  });

  test("moves to another day and time, and keeps an inactive service", async () => {
    const clinic = await service.clinic(visits);
    const visitor = await signedInVisitor(service, clinic);
    const here = `/dashboard/appointments/${clinic.appointment("tomorrow")}`;
    const { body } = await visitor.get(here);
    expect(typedIn(body, "slotTime")).toBe("10:00");
    expect(body).toContain(`<option value="${clinic.service("gone")}" selected>Massage</option>`);
    await visitor.submitAndFollow(here, { ...filled, serviceId: clinic.service("gone") });
    const moved = (await clinic.client().appointment(clinic.appointment("tomorrow"))).data;
    expect(moved).toMatchObject({ date: "2026-11-23", slotTime: "11:45", durationMinutes: 25 });
    expect(moved.serviceId).toBe(clinic.service("gone"));
  });

  test("cannot have an inactive service or a service of another business", async () => {
    const clinic = await service.clinic(visits);
    const other = await service.clinic();
    const visitor = await signedInVisitor(service, clinic);
    for (const serviceId of [clinic.service("gone"), other.service()]) {
      for (const path of ["", `/${clinic.appointment("early")}`]) {
        const form = { ...filled, serviceId };
        const { status, body } = await visitor.submit(`/dashboard/appointments${path}`, form);
        expect(status).toBe(422);
        expect(errorAt(body, "serviceId")).toMatch(/^This service is switched off or was removed/);
      }
    }
    expect((await clinic.client().appointments({ date: "2026-11-23" })).data).toEqual([]);
  });

  test.each([
    ["date", "", "Day is required."],
    ["date", "2026-02-30", "Day must be a day that exists."],
    ["slotTime", "25:00", "Time must be a time that exists."],
    ["slotTime", "noon", "Time must be a time like 09:30."],
    ["durationMinutes", "0", "Minutes must be a whole number from 1 to 1440."],
    ["customerPhone", "123", /^Phone number must be 8 to 20 digits/],
    ["customerName", "x".repeat(121), /^Name must be 1 to 120 characters/],
    ["notes", "x".repeat(2_001), "Notes must be at most 2000 characters."],
  ])(
    "with %s %.20j shows an error at the field, and stores nothing",
    async (field, typed, message) => {
      const clinic = await service.clinic(visits);
      const visitor = await signedInVisitor(service, clinic);
      for (const path of ["", `/${clinic.appointment("early")}`]) {
        const form = { ...filled, [field]: typed };
        const { status, body } = await visitor.submit(`/dashboard/appointments${path}`, form);
        expect(status).toBe(422);
        expect(errorAt(body, field)).toEqual(
          typeof message === "string" ? message : expect.stringMatching(message),
        );
        expect(typedIn(body, field)).toBe(typed);
      }
      expect((await clinic.client().appointments({ date: "2026-11-23" })).data).toEqual([]);
    },
  );
});
