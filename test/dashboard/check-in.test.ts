import { expect, test } from "vitest";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { rowsOf, textOf } from "./support/html.js";
import { ownedClinic } from "./support/quick-sign-in.js";

const service = await testService();

const undoOn = (page: string) => /name="undo" value="([^"]+)"/.exec(page)?.[1] ?? "";

async function open() {
  const { clinic, visitor } = await ownedClinic(service, {
    keys: [wideKey],
    appointments: [
      { ref: "today", slotTime: "09:15", customer: { name: "Customer 2" } },
      { ref: "tomorrow", slotTime: "10:00", date: "today+1" },
    ],
  });
  const path = (ref: string) => `/dashboard/appointments/${clinic.appointment(ref)}/status`;
  const submit = async (to: string, fields: Parameters<typeof visitor.submit>[1]) => {
    const { status, location } = await visitor.submit(to, fields);
    return { status, page: location === null ? "" : (await visitor.get(location)).body };
  };
  return {
    clinic,
    visitor,
    path,
    submit,
    checkIn: (ref: string, queue: string) => submit(path(ref), { status: "CHECKED_IN", queue }),
    entries: async () => (await clinic.client().entries(clinic.queue())).data,
    visit: async () => (await clinic.client().appointment(clinic.appointment("today"))).data,
  };
}

test("“Is here” issues a token in the selected queue, and the list of appointments shows it", async () => {
  const { clinic, visitor, checkIn, entries, visit } = await open();
  const { page } = await checkIn("today", clinic.queue());
  expect(textOf(page)).toContain("A1, Customer 2, was given for the appointment at 09:15.");
  expect(rowsOf(page)[0]?.join(" ")).toContain("Is here A1");
  expect(await entries()).toMatchObject([
    { token: "A1", status: "WAITING", customer: { name: "Customer 2" } },
  ]);
  const [added] = await entries();
  const card = await visitor.get(`/dashboard/board/people/${added?.id}`);
  expect(textOf(card.body)).toContain("At 10:00 was added from an appointment, by ");
  const appointment = await visit();
  expect(appointment.status).toBe("CHECKED_IN");
  expect(Object.keys(appointment)).not.toContain("entryId");
});

test("without a queue the appointment is CHECKED_IN without a token", async () => {
  const { checkIn, entries, visit } = await open();
  await checkIn("today", "");
  expect(await entries()).toEqual([]);
  expect((await visit()).status).toBe("CHECKED_IN");
});

test("an appointment of another day or another business gets no token", async () => {
  const { clinic, checkIn, submit } = await open();
  const other = await open();
  expect(textOf((await checkIn("tomorrow", clinic.queue())).page)).toContain("is not today");
  expect((await checkIn("today", other.clinic.queue())).status).toBe(404);
  const fields = { status: "CHECKED_IN", queue: other.clinic.queue() };
  expect((await submit(other.path("today"), fields)).status).toBe(404);
  expect(await other.entries()).toEqual([]);
});

test("an appointment with a token follows it, on its page and in the API", async () => {
  const { clinic, visitor, path, checkIn, entries, visit } = await open();
  await checkIn("today", clinic.queue());
  const [entry] = await entries();
  const state = async () => {
    const { status } = await visit();
    const [listed] = (await clinic.client().appointments()).data;
    expect(listed?.status).toBe(status);
    const [row] = rowsOf((await visitor.get("/dashboard/appointments")).body);
    return [status, row?.[4], row?.[5]];
  };
  expect(await state()).toEqual(["CHECKED_IN", "Is here A1", "Cancel : Customer 2"]);
  for (const [act, status, shown] of [
    ["call", "IN_SERVICE", "In service A1"],
    ["complete", "COMPLETED", "Completed A1"],
    ["undo", "IN_SERVICE", "In service A1"],
    ["no-show", "NO_SHOW", "No-show A1"],
  ] as const) {
    const now = await service.store.entries.get(clinic.id, entry?.id ?? "");
    await visitor.submit("/dashboard/board", { [act]: `${entry?.id}.${now?.entry.revision}` });
    expect(await state()).toEqual([status, shown, ""]);
  }
  await visitor.submit(path("today"), { status: "IN_SERVICE" });
  const { body } = await visitor.get(path("today").replace("/status", ""));
  expect(body).not.toContain('<select id="status"');
  expect((await state())[0]).toBe("NO_SHOW");
});

test("canceling an appointment with a token cancels the token, and Undo takes both back", async () => {
  const { clinic, visitor, path, submit, checkIn, entries, visit } = await open();
  await checkIn("today", clinic.queue());
  const { page } = await submit(path("today"), { status: "CANCELLED" });
  expect(textOf(page)).toContain("A1, Customer 2, was canceled, and the appointment with it.");
  const statuses = async () => [(await entries())[0]?.status, (await visit()).status];
  expect(await statuses()).toEqual(["CANCELED", "CANCELLED"]);
  await visitor.submit("/dashboard/board", { undo: undoOn(page) });
  expect(await statuses()).toEqual(["WAITING", "CHECKED_IN"]);
});

test.each([
  ["can be taken back", null, "CONFIRMED"],
  ["that was changed meanwhile cannot be taken back", "COMPLETED", "COMPLETED"],
])("a status of an appointment without a token %s", async (_, meanwhile, expected) => {
  const { path, submit, visit } = await open();
  const { page } = await submit(path("today"), { status: "NO_SHOW" });
  if (meanwhile) await submit(path("today"), { status: meanwhile });
  await submit(path("today"), { undo: undoOn(page) });
  expect((await visit()).status).toBe(expected);
});
