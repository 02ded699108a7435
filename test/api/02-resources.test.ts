import { describe, expect, test } from "vitest";
import { clinicWithIds } from "../support/endpoints.js";
import { expectStatus } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const isTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

test("identifiers are case-sensitive", async () => {
  const clinic = await service.clinic(clinicWithIds);
  const id = clinic.entry("first");
  const swapped = id.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  expectStatus(await clinic.client().entry(id), 200);
  expectStatus(await clinic.client().entry(swapped), 404);
});

test("lists are arrays, of all items or with a cursor; an empty one is an empty array", async () => {
  const clinic = await service.clinic(clinicWithIds);
  const none = { services: [], queues: [{ ref: "front", name: "Front" }] };
  const empty = await service.clinic(none);
  for (const [{ client, queue }, data] of [
    [{ client: clinic.client(), queue: clinic.queue() }, [expect.any(Object)]],
    [{ client: empty.client(), queue: empty.queue() }, []],
  ] as const) {
    expect((await client.services()).json).toEqual({ data });
    expect((await client.queues()).json).toEqual({ data: [expect.any(Object)] });
    expect((await client.entries(queue)).json).toEqual({ data, nextCursor: null });
    expect((await client.appointments()).json).toEqual({ data, nextCursor: null });
  }
});

describe("Entry", () => {
  test("a waiting entry has every field", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const { data } = await clinic.client().entry(clinic.entry("first"));
    expect(data).toEqual({
      id: clinic.entry("first"),
      token: "A1",
      tokenSeries: "A",
      tokenNumber: 1,
      status: "WAITING",
      priority: false,
      serviceId: clinic.service(),
      customer: { name: "Customer 1", phone: "919800000001" },
      issuedAt: isTimestamp,
      startedAt: null,
      completedAt: null,
      canceledAt: null,
      predictedWaitMinutes: 0,
      position: 1,
    });
  });

  test("an entry in a list has all fields except the position", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const { position, ...alone } = (await clinic.client().entry(clinic.entry("first"))).data;
    const [listed] = (await clinic.client().entries(clinic.queue())).data;
    expect(position).toBe(1);
    expect(listed).toEqual(alone);
  });

  test("an entry without details has null for its service, name and phone, and can have priority", async () => {
    const entries = [{ ref: "walk-in", priority: true }];
    const clinic = await service.clinic({
      queues: [{ ref: "front", name: "Front desk", entries }],
    });
    const { data } = await clinic.client().entry(clinic.entry("walk-in"));
    const customer = { name: null, phone: null };
    expect(data).toMatchObject({ serviceId: null, customer, priority: true });
  });

  test("the token is the series of its queue, A by default, followed by the number", async () => {
    const clinic = await service.clinic({
      queues: [
        { ref: "front", name: "Front desk" },
        { ref: "lab", name: "Lab", tokenSeries: "LAB" },
      ],
    });
    const created = [];
    for (const ref of ["lab", "front", "lab"])
      created.push((await clinic.client().create(clinic.queue(ref))).data);
    expect(created).toMatchObject([
      { token: "LAB1", tokenSeries: "LAB", tokenNumber: 1 },
      { token: "A1", tokenSeries: "A", tokenNumber: 1 },
      { token: "LAB2", tokenSeries: "LAB", tokenNumber: 2 },
    ]);
  });

  test("a customer's name is returned exactly as it was sent", async () => {
    const clinic = await service.clinic();
    const names = ["  two  spaces ", "Zoë Ångström", "Ångström", "山田太郎", "👩‍⚕️", "a\nb", "<b>"];
    for (const name of names) {
      const created = await clinic.client().create(clinic.queue(), { name, phone: "919800000001" });
      expect(created.data.customer.name).toBe(name);
      expect((await clinic.client().entry(created.data.id)).data.customer.name).toBe(name);
    }
  });
});

describe("Queue and QueueSummary", () => {
  test("a queue has its name and both flags", async () => {
    const clinic = await service.clinic({
      queues: [
        { ref: "front", name: "Front desk" },
        { ref: "paused", name: "Paused", isTokenCreationPaused: true },
        { ref: "closed", name: "Closed", isActive: false },
      ],
    });
    expect((await clinic.client().queues()).data).toEqual([
      { id: clinic.queue(), name: "Front desk", isActive: true, isTokenCreationPaused: false },
      { id: clinic.queue("paused"), name: "Paused", isActive: true, isTokenCreationPaused: true },
      { id: clinic.queue("closed"), name: "Closed", isActive: false, isTokenCreationPaused: false },
    ]);
  });

  test("a summary counts the day's entries of the queue by status", async () => {
    const of = (
      status: "WAITING" | "IN_SERVICE" | "COMPLETED" | "CANCELED" | "NO_SHOW",
      n: number,
    ) => Array.from({ length: n }, () => ({ status, service: "consult", minutesAgo: 30 }));
    const clinic = await service.clinic({
      queues: [
        {
          ref: "front",
          name: "Front desk",
          entries: [
            ...of("WAITING", 5),
            ...of("IN_SERVICE", 1),
            ...of("COMPLETED", 4),
            ...of("CANCELED", 3),
            ...of("NO_SHOW", 2),
          ],
        },
        { name: "Another", entries: of("WAITING", 7) },
      ],
    });
    const { data } = await clinic.client().queue(clinic.queue());
    expect(data).toEqual({
      id: clinic.queue(),
      name: "Front desk",
      isActive: true,
      isTokenCreationPaused: false,
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      counts: { waiting: 5, inService: 1, completed: 4, canceled: 3, noShow: 2 },
      averageWaitMinutes: 30,
    });
  });
});

test("an active service is listed with its price and base time, each of which can be null", async () => {
  const clinic = await service.clinic({
    services: [
      { ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 15 },
      { ref: "advice", name: "Advice" },
      { ref: "old", name: "Old", price: 10, baseTimeMinutes: 5, active: false },
    ],
  });
  const { data } = await clinic.client().services();
  expect(data.toSorted((a, b) => b.name.localeCompare(a.name))).toEqual([
    { id: clinic.service("consult"), name: "Consultation", price: 300, baseTimeMinutes: 15 },
    { id: clinic.service("advice"), name: "Advice", price: null, baseTimeMinutes: null },
  ]);
});

describe("Appointment", () => {
  test("an appointment has every field, and no notes", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const answer = await clinic.client().appointment(clinic.appointment("checkup"));
    expect(answer.data).toEqual({
      id: clinic.appointment("checkup"),
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      slotTime: "10:30",
      durationMinutes: 15,
      status: "CONFIRMED",
      serviceId: clinic.service(),
      customer: { name: "Customer 2", phone: "919800000002" },
    });
    const list = await clinic.client().appointments();
    expect(list.data).toEqual([answer.data]);
    expect(list.text + answer.text).not.toContain("kept for the business");
  });

  test("an appointment without a service and a customer has null for both", async () => {
    const clinic = await service.clinic({ appointments: [{ ref: "bare", slotTime: "08:00" }] });
    const { data } = await clinic.client().appointment(clinic.appointment("bare"));
    expect(data).toMatchObject({ serviceId: null, customer: { name: null, phone: null } });
  });
});

describe("Me", () => {
  test("has the business, the key and its limits", async () => {
    const expiresAt = new Date(service.now() + 3_600_000).toISOString();
    const clinic = await service.clinic({
      keys: [
        {
          ...mainKey,
          scopes: ["queue:read", "appointments:read"],
          expiresAt,
          requestsPerMinute: 7,
          writesPerMinute: 3,
        },
      ],
    });
    expect((await clinic.client().me()).data).toEqual({
      business: {
        name: "Sunrise Clinic",
        slug: clinic.slug,
        category: "clinic",
        timezone: "Asia/Kolkata",
      },
      key: {
        id: clinic.keyId(),
        name: "Main",
        scopes: ["queue:read", "appointments:read"],
        expiresAt,
      },
      limits: { requestsPerMinute: 7, writesPerMinute: 3, maxBodyBytes: 32_768 },
    });
  });

  test("category and timezone can be null", async () => {
    const clinic = await service.clinic({ category: null, timezone: null });
    expect((await clinic.client().me()).data.business).toMatchObject({
      category: null,
      timezone: null,
    });
  });
});
