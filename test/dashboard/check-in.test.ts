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
  expect(textOf(page)).toContain("A1 was given. The person is in the line.");
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
