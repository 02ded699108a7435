import { describe, expect, test } from "vitest";
import { morning } from "../support/clock.js";
import { type BusinessSeed, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { errorAt, fieldIn, linkTo, rowsOf, textOf } from "./support/html.js";
import { type Filled, ownedClinic } from "./support/visitor.js";

const service = await testService();
const path = "/dashboard/appointments";
const asItIs = { date: "2026-11-21", slotTime: "09:15", durationMinutes: "20" };

const visits: BusinessSeed = {
  keys: [wideKey],
  appointments: [
    { ref: "late", slotTime: "16:00", status: "CHECKED_IN", customer: { name: "Customer 3" } },
    {
      ref: "early",
      slotTime: "09:15",
      durationMinutes: 20,
      service: "consult",
      customer: { name: "Customer 2", phone: "919800000002" },
      notes: "first visit",
    },
    { ref: "tomorrow", slotTime: "10:00", date: "today+1" },
  ],
};

describe("the appointments of a day", async () => {
  const { visitor } = await ownedClinic(service, visits);

  test("are listed by time, with their details and possible actions", async () => {
    const { body } = await visitor.get(path);
    expect(textOf(body)).toContain("Appointments, Sat, 21 Nov 2026");
    expect(rowsOf(body)).toEqual([
      [
        ...["09:15 Customer 2", "20", "Customer 2 919800000002 first visit", "Consultation"],
        "Confirmed",
        "Token for Customer 2 in Front desk No token Is here : Customer 2 No-show : Customer 2 Cancel : Customer 2",
      ],
      [
        ...["16:00 Customer 3", "15", "Customer 3", "–", "Is here"],
        "Token for Customer 3 in Front desk Give a token : Customer 3 Begin : Customer 3 Cancel : Customer 3",
      ],
    ]);
    expect(body).toContain('value="NO_SHOW" formnovalidate'); // needs no queue
    expect(body).not.toContain('value="CHECKED_IN" formnovalidate'); // needs the chosen one
    const [later] = rowsOf((await visitor.get(`${path}?date=2026-11-22`)).body);
    expect(later?.at(-1)).toBe("No-show : No name Cancel : No name"); // nobody can be here
  });

  test("are found by name or phone, like the people on the board", async () => {
    const found = await visitor.get(`${path}?date=2026-11-21&q=customer+2`);
    expect(rowsOf(found.body).map(([first]) => first)).toEqual(["09:15 Customer 2"]);
    expect(fieldIn(found.body, "q")).toBe("customer 2");
    const none = await visitor.get(`${path}?date=2026-11-21&q=Nobody`);
    expect(textOf(none.body)).toContain("No appointment of this day matches.");
  });

  test("have links to the previous and next day, if these exist", async () => {
    const { body } = await visitor.get(`${path}?date=2026-12-31`);
    expect(linkTo(body, "30 Dec")).toBe(`${path}?date=2026-12-30`);
    expect(linkTo(body, "1 Jan")).toBe(`${path}?date=2027-01-01`);
    expect(linkTo(body, "Today")).toBe(`${path}?date=2026-11-21`);
    expect(linkTo(body, "Make one")).toBe(`${path}/new?date=2026-12-31`);
    for (const day of ["0000-01-01", "9999-12-31"]) {
      const { body } = await visitor.get(`${path}?date=${day}`);
      const days = new Set([...body.matchAll(/[?]date=([^"&]+)"/g)].map(([, date]) => date));
      expect(days.size).toBe(3); // that day, the one beside it, and today
      for (const date of days) expect((await visitor.get(`${path}?date=${date}`)).status).toBe(200);
    }
  });

  test("of an invalid day show an error at the field", async () => {
    for (const page of [path, `${path}/new`]) {
      const { status, body } = await visitor.get(`${page}?date=2026-02-30`);
      expect([status, errorAt(body, "date")]).toEqual([422, "Day must be a day that exists."]);
    }
  });

  test("are by default of the business's own day", async () => {
    const { visitor } = await ownedClinic(service, { timezone: "Pacific/Kiritimati" });
    expect(textOf((await visitor.get(path)).body)).toContain("Appointments, Sat, 21 Nov 2026");
    service.clock.advance({ hours: 6 });
    expect(textOf((await visitor.get(path)).body)).toContain("Appointments, Sun, 22 Nov 2026");
    service.clock.set(morning);
  });

  test("beyond a hundred continue on another page, each once, and are searched as one list", async () => {
    const two = (number: number) => String(number).padStart(2, "0");
    const appointments = Array.from({ length: 130 }, (_, n) => ({
      slotTime: `${two(8 + Math.floor(n / 60))}:${two(n % 60)}`,
      customer: { name: n === 129 ? "Last One" : `Customer ${n}` },
    }));
    const { visitor } = await ownedClinic(service, { appointments });
    const first = await visitor.get(path);
    const second = await visitor.get(linkTo(first.body, "Later appointments"));
    const rows = [...rowsOf(first.body), ...rowsOf(second.body)];
    const times = rows.map(([time = ""]) => time.slice(0, 5));
    expect(times).toEqual(appointments.map(({ slotTime }) => slotTime));
    expect(second.body).not.toContain("Later appointments");
    const found = rowsOf((await visitor.get(`${path}?q=last`)).body);
    expect(found.map(([time]) => time)).toEqual(["10:09 Last One"]);
  });
});

/** A clinic whose owner sets the status of appointments. */
async function open() {
  const { clinic, visitor } = await ownedClinic(service, visits);
  const early = `${path}/${clinic.appointment("early")}`;
  /** Sends a form, and returns the status, and the next page with its path. */
  const submit = async (to: string, fields: Filled) => {
    const { status, location } = await visitor.submit(to, fields);
    const page = location === null ? "" : (await visitor.get(location)).body;
    return { status, location, page };
  };
  return {
    clinic,
    visitor,
    /** The path of the appointment that the functions below are about. */
    early,
    set: (status: string, fields = {}) => submit(`${early}/status`, { status, ...fields }),
    checkIn: (queue = clinic.queue(), ref = "early") => {
      const fields = { status: "CHECKED_IN", queue };
      return submit(`${path}/${clinic.appointment(ref)}/status`, fields);
    },
    /** Presses Undo in the message of a page. */
    undo: (page: string) => {
      const [, to = ""] = /class="flash done" method="post" action="([^"]+)"/.exec(page) ?? [];
      return submit(to, { undo: fieldIn(page, "undo") });
    },
    entries: async () => (await clinic.client().entries(clinic.queue())).data,
    visit: async () => (await clinic.client().appointment(clinic.appointment("early"))).data,
  };
}

describe("the status of an appointment", () => {
  test("changes step by step, to a status of appointments only, and gives no token without a queue", async () => {
    const { set, entries, visit } = await open();
    for (const status of ["CHECKED_IN", "IN_SERVICE", "COMPLETED", "NO_SHOW", "CANCELLED"]) {
      await set(status);
      expect((await visit()).status).toBe(status);
    }
    expect((await set("CANCELED")).status).toBe(422); // an entry's word
    expect([(await visit()).status, await entries()]).toEqual(["CANCELLED", []]);
  });

  test.each([
    ["can be taken back", null, "CONFIRMED"],
    ["that was changed meanwhile cannot be taken back", "COMPLETED", "COMPLETED"],
  ])("without a token %s", async (_, meanwhile, expected) => {
    const { set, undo, visit } = await open();
    const { page } = await set("NO_SHOW");
    if (meanwhile) await set(meanwhile);
    await undo(page);
    expect((await visit()).status).toBe(expected);
  });

  test("stays if another person has set it since the list was shown", async () => {
    const { visitor, set, visit } = await open();
    const revision = fieldIn((await visitor.get(path)).body, "revision");
    await set("COMPLETED");
    const { page } = await set("NO_SHOW", { revision });
    const said = "09:15, Customer 2, was changed by another person, so it stays.";
    expect(textOf(page)).toContain(said);
    expect((await visit()).status).toBe("COMPLETED");
  });
});

describe("“Is here”", () => {
  test("issues one token in the selected queue, which the list and a second colleague see", async () => {
    const { visitor, checkIn, entries, visit } = await open();
    const { page } = await checkIn();
    expect(textOf(page)).toContain("A1, Customer 2, was given for the appointment at 09:15.");
    expect(rowsOf(page)[0]?.join(" ")).toContain("Is here A1");
    const [added] = await entries();
    const customer = { name: "Customer 2" };
    expect(added).toMatchObject({ token: "A1", status: "WAITING", customer });
    const card = await visitor.get(`/dashboard/board/people/${added?.id}`);
    expect(textOf(card.body)).toContain("At 10:00 was added from an appointment, by ");
    expect((await visit()).status).toBe("CHECKED_IN");
    expect(Object.keys(await visit())).not.toContain("entryId");
    const again = await checkIn();
    expect(textOf(again.page)).toContain("The appointment has the token A1 already.");
    expect(await entries()).toHaveLength(1);
  });

  test("gives no token while every queue is closed, says so, and gives one afterwards", async () => {
    const { clinic, visitor, set, checkIn, entries } = await open();
    await visitor.submit("/dashboard/board", { close: clinic.queue() });
    const { page } = await set("CHECKED_IN");
    expect(textOf(page)).toContain("is here. No token was given, because every queue is closed.");
    await visitor.submit("/dashboard/board", { open: clinic.queue() });
    expect(rowsOf((await visitor.get(path)).body)[0]?.at(-1)).toContain("Front desk Give a token");
    await checkIn();
    expect(await entries()).toMatchObject([{ token: "A1" }]);
  });

  test("issues no token for another day or another business", async () => {
    const [{ clinic, checkIn }, other] = [await open(), await open()];
    const { page } = await checkIn(clinic.queue(), "tomorrow");
    expect(textOf(page)).toContain("is not today");
    expect((await checkIn(other.clinic.queue())).status).toBe(404);
    expect(await other.entries()).toEqual([]);
  });
});

test("an appointment that is being checked in says so, and names no other person", async () => {
  const hasToken = async () => ({ outcome: "has_token" }) as const;
  const busy = await testService({ interpose: () => ({ appointments: { change: hasToken } }) });
  const { clinic, visitor } = await ownedClinic(busy, visits);
  const page = `${path}/${clinic.appointment("early")}`;
  const refused = await visitor.submit(page, { ...asItIs, slotTime: "10:00" });
  expect(refused.status).toBe(422);
  expect(textOf(refused.body)).toContain("is being checked in. Try again in a minute.");
  const { body } = await visitor.submitAndFollow(`${page}/status`, { status: "NO_SHOW" });
  expect(textOf(body)).toContain("09:15, Customer 2, is being checked in. Try again in a minute.");
});

test("an appointment keeps the name of its customer exactly, unless another or none is typed", async () => {
  const name = "\u00A0 Anna\n ";
  const appointments = [{ ref: "early", slotTime: "09:15", customer: { name } }];
  const { clinic, visitor } = await ownedClinic(service, { keys: [wideKey], appointments });
  const id = clinic.appointment("early");
  for (const [customerName, stored] of [
    ["\u00A0 Anna ", name],
    ["", null],
    [" Ben ", "Ben"],
  ] as const) {
    await visitor.submit(`${path}/${id}`, { ...asItIs, customerName });
    expect((await clinic.client().appointment(id)).data.customer.name).toBe(stored);
  }
});

describe("an appointment with a token", () => {
  test("follows it, and its own status cannot be set", async () => {
    const { visitor, early, set, checkIn, entries, visit } = await open();
    await checkIn();
    const [entry] = await entries();
    await visitor.submit("/dashboard/board", { call: entry?.id ?? "" });
    const [row] = rowsOf((await visitor.get(path)).body);
    expect(row?.slice(4)).toEqual(["In service A1", ""]);
    await set("NO_SHOW");
    expect((await visit()).status).toBe("IN_SERVICE");
    expect((await visitor.get(early)).body).not.toContain('<select id="status"');
  });

  test("keeps its day, time and state, and the token keeps its name", async () => {
    const { visitor, early, checkIn, entries, visit } = await open();
    await checkIn();
    const { body } = await visitor.get(early);
    for (const name of ["date", "slotTime"])
      expect(body).toMatch(new RegExp(`<input id="${name}"[^>]* readonly>`));
    expect(textOf(body)).toContain("The token keeps its own name");
    const stay = "has a token, so its day, time and state stay.";
    for (const [change, said] of [
      [{ date: "2026-11-22", customerName: "Renamed" }, stay],
      [{ customerName: "Renamed", status: "NO_SHOW" }, stay],
      [{ customerName: "Renamed", status: "CONFIRMED" }, "The appointment is changed."],
      [{ customerName: "Renamed" }, "The appointment is changed."],
    ] as const) {
      const { body } = await visitor.submitAndFollow(early, { ...asItIs, ...change });
      expect(textOf(body)).toContain(said);
      expect(await visit()).toMatchObject({ date: "2026-11-21", customer: { name: "Renamed" } });
    }
    expect((await entries())[0]?.customer.name).toBe("Customer 2");
  });

  test("cancels the token with it, and Undo takes both back", async () => {
    const { set, undo, checkIn, entries, visit } = await open();
    await checkIn();
    const { page } = await set("CANCELLED");
    expect(textOf(page)).toContain("A1, Customer 2, was canceled, and the appointment with it.");
    const statuses = async () => [(await entries())[0]?.status, (await visit()).status];
    expect(await statuses()).toEqual(["CANCELED", "CANCELLED"]);
    expect((await undo(page)).location).toBe(`${path}?date=2026-11-21`);
    expect(await statuses()).toEqual(["WAITING", "CHECKED_IN"]);
  });
});
