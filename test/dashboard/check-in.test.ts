import { expect, test } from "vitest";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { rowsOf, textOf } from "./support/html.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";

const service = await testService();

async function open() {
  const clinic = await service.clinic({
    keys: [wideKey],
    appointments: [
      { ref: "today", slotTime: "09:15", customer: { name: "Customer 2" } },
      { ref: "tomorrow", slotTime: "10:00", date: "today+1" },
    ],
  });
  const visitor = await quicklySignedIn(service, clinic);
  const checkIn = async (ref: string, queue: string, on = visitor) => {
    const path = `/dashboard/appointments/${clinic.appointment(ref)}/status`;
    const { status, location } = await on.submit(path, { status: "CHECKED_IN", queue });
    return { status, page: location === null ? "" : (await on.get(location)).body };
  };
  return { clinic, visitor, checkIn };
}

test("“Is here” issues a token in the selected queue, and the list of appointments shows it", async () => {
  const { clinic, checkIn } = await open();
  const { page } = await checkIn("today", clinic.queue());
  expect(textOf(page)).toContain("A1, Customer 2, was given for the appointment at 09:15.");
  expect(rowsOf(page)[0]?.join(" ")).toContain("Is here A1");
  const [entry] = (await clinic.client().entries(clinic.queue())).data;
  expect(entry).toMatchObject({ token: "A1", status: "WAITING", customer: { name: "Customer 2" } });
  const { data } = await clinic.client().appointment(clinic.appointment("today"));
  expect(data.status).toBe("CHECKED_IN");
  expect(Object.keys(data)).not.toContain("entryId");
});

test("two desks that check in one appointment 50 times issue one token", async () => {
  const { clinic, visitor, checkIn } = await open();
  const other = await quicklySignedIn(service, clinic);
  const both = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? visitor : other));
  await Promise.all(both.map((who) => checkIn("today", clinic.queue(), who)));
  expect((await clinic.client().entries(clinic.queue())).data).toHaveLength(1);
});

test("without a queue the appointment is CHECKED_IN without a token", async () => {
  const { clinic, checkIn } = await open();
  await checkIn("today", "");
  expect((await clinic.client().entries(clinic.queue())).data).toEqual([]);
});

test("an appointment of another day or another business gets no token", async () => {
  const { clinic, checkIn } = await open();
  const other = await open();
  expect(textOf((await checkIn("tomorrow", clinic.queue())).page)).toContain("is not today");
  expect((await checkIn("today", other.clinic.queue())).status).toBe(404);
  const foreign = `/dashboard/appointments/${other.clinic.appointment("today")}/status`;
  const fields = { status: "CHECKED_IN", queue: other.clinic.queue() };
  const visitor = await quicklySignedIn(service, clinic);
  expect((await visitor.submit(foreign, fields)).status).toBe(404);
  expect((await other.clinic.client().entries(other.clinic.queue())).data).toEqual([]);
});

test("an appointment with a token follows it, on its page and in the API", async () => {
  const { clinic, visitor, checkIn } = await open();
  await checkIn("today", clinic.queue());
  const [entry] = (await clinic.client().entries(clinic.queue())).data;
  const path = `/dashboard/appointments/${clinic.appointment("today")}`;
  const state = async () => {
    const { data } = await clinic.client().appointment(clinic.appointment("today"));
    const [listed] = (await clinic.client().appointments()).data;
    expect(listed?.status).toBe(data.status);
    const [row] = rowsOf((await visitor.get("/dashboard/appointments")).body);
    return [data.status, row?.[4], row?.[5]];
  };
  expect(await state()).toEqual(["CHECKED_IN", "Is here A1", "Cancel : Customer 2"]);
  for (const [act, status, shown] of [
    ["call", "IN_SERVICE", "In service A1"],
    ["complete", "COMPLETED", "Completed A1"],
    ["undo", "IN_SERVICE", "In service A1"],
    ["no-show", "NO_SHOW", "No-show A1"],
  ] as const) {
    const now = await service.store?.entries.get(clinic.id, entry?.id ?? "");
    await visitor.submit("/dashboard/board", { [act]: `${entry?.id}.${now?.entry.revision}` });
    expect(await state()).toEqual([status, shown, ""]);
  }
  await visitor.submit(`${path}/status`, { status: "IN_SERVICE" });
  expect((await visitor.get(path)).body).not.toContain('<select id="status"');
  expect((await state())[0]).toBe("NO_SHOW");
});

test("canceling an appointment with a token cancels the token, and Undo takes both back", async () => {
  const { clinic, visitor, checkIn } = await open();
  await checkIn("today", clinic.queue());
  const path = `/dashboard/appointments/${clinic.appointment("today")}/status`;
  const { location } = await visitor.submit(path, { status: "CANCELLED" });
  const { body } = await visitor.get(location ?? "");
  expect(textOf(body)).toContain("A1, Customer 2, was canceled, and the appointment with it.");
  const statuses = async () => [
    (await clinic.client().entries(clinic.queue())).data[0]?.status,
    (await clinic.client().appointment(clinic.appointment("today"))).data.status,
  ];
  expect(await statuses()).toEqual(["CANCELED", "CANCELLED"]);
  const [, undo = ""] = /name="undo" value="([^"]+)"/.exec(body) ?? [];
  await visitor.submit("/dashboard/board", { undo });
  expect(await statuses()).toEqual(["WAITING", "CHECKED_IN"]);
});

test("a status of an appointment without a token can be taken back, unless it was changed meanwhile", async () => {
  const { clinic, visitor } = await open();
  const path = `/dashboard/appointments/${clinic.appointment("today")}/status`;
  const api = clinic.client();
  for (const [meanwhile, expected] of [
    [null, "CONFIRMED"],
    ["COMPLETED", "COMPLETED"],
  ] as const) {
    const { location } = await visitor.submit(path, { status: "NO_SHOW" });
    const { body } = await visitor.get(location ?? "");
    const [, undo = ""] = /name="undo" value="([^"]+)"/.exec(body) ?? [];
    if (meanwhile) await visitor.submit(path, { status: meanwhile });
    await visitor.submit(path, { undo });
    const { data } = await api.appointment(clinic.appointment("today"));
    expect(data.status).toBe(expected);
  }
});
