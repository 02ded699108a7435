import type { Store } from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { auditRow } from "../store/support/records.js";
import type { Clinic } from "../support/clinic.js";
import { morning } from "../support/clock.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import type { BusinessSeed } from "../support/seed.js";
import { testService } from "../support/service.js";
import {
  busyClinic,
  cardOf,
  lineOf,
  messageOn,
  person,
  tokensIn,
  walkInForm,
} from "./support/board.js";
import { fieldIn, linkTo, textOf } from "./support/html.js";
import { busyDesk, inviteOwner, setPassword, visitorOf } from "./support/visitor.js";

const service = await testService();

type Fields = Readonly<Record<string, string | string[]>>;

/** A clinic, and an owner with an open board. */
async function open(seed: BusinessSeed = {}, on = service) {
  const { clinic, visitor } = await busyDesk(on, seed);
  const board = async (query = "") => (await visitor.get(`/dashboard${query}`)).body;
  const personPath = (ref: string) => `/dashboard/board/people/${clinic.entry(ref)}`;
  /** Presses a button of the board, and returns the next page with its message. */
  const press = async (fields: Fields) => {
    const { status, location } = await visitor.submit("/dashboard/board", fields);
    const page = location === null ? "" : (await visitor.get(location)).body;
    return { status, location, page, ...messageOn(page) };
  };
  return {
    clinic,
    visitor,
    board,
    press,
    personPath,
    /** The current card of a queue. */
    card: async (queue = "front") => cardOf(await board(), clinic.queue(queue)),
    /** The page of a person. */
    person: async (ref: string) => (await visitor.get(personPath(ref))).body,
    /** Adds a person to a queue by the form of its current card. */
    walkIn: async (queue: string) => {
      const form = walkInForm(cardOf(await board(), clinic.queue(queue)));
      return visitor.submit("/dashboard/board/walk-in", form);
    },
    /** The page of the person with the latest token of a queue. */
    newest: async (queue = "front") => {
      const id = (await clinic.client().entries(clinic.queue(queue))).data.at(-1)?.id;
      return textOf((await visitor.get(`/dashboard/board/people/${id}`)).body);
    },
    /** Gives the person of an appointment a token of the laboratory, and returns the next page. */
    checkIn: async () => {
      const path = `/dashboard/appointments/${clinic.appointment("visit")}/status`;
      const fields = { status: "CHECKED_IN", queue: clinic.queue("lab") };
      return (await visitor.submitAndFollow(path, fields)).body;
    },
    /** Moves a person to the laboratory. */
    move: (ref: string) => press({ transfer: clinic.entry(ref), to: clinic.queue("lab") }),
    statusOf: async (ref: string) => (await clinic.client().entry(clinic.entry(ref))).data.status,
  };
}

const visits: BusinessSeed = { appointments: [{ ref: "visit", slotTime: "09:15" }] };

/** The acts that a page offers on a person. */
const actsOn = (page: string) =>
  [...page.matchAll(/<button name="([^"]+)" value="\w+\.\d+"/g)].map(([, verb]) => verb);

describe("the board", () => {
  test("shows each queue with its counts, its wait, and the people in the order of calling", async () => {
    const { card, board } = await open({ timezone: "Pacific/Auckland" });
    const front = await card();
    expect(lineOf(front)).toEqual(["A7", "A5", "A6"]);
    const text = textOf(front);
    expect(text).toContain("Waiting 3 In service 1 Wait if new");
    expect(text).toContain("Completed 1 No-show 1 Canceled 1");
    expect(text).toContain("Call next A7 Person urgent");
    expect(text).toMatch(/In service A4 Person served Consultation · since \d\d:\d\d Complete/);
    expect(text).toContain("A7 Person urgent Priority since 17:25 Call"); // in the business's time zone
    expect(text).toContain("A5 Person first Consultation · since 17:25 Call");
    expect(textOf(await board())).toContain("Sat, 21 Nov 2026");
  });

  test("changes the state of a queue, and explains what to do with an empty line in each", async () => {
    const { card, clinic, press } = await open();
    const running = { isTokenCreationPaused: false, isActive: true };
    for (const [verb, flags, shown] of [
      ["pause", { ...running, isTokenCreationPaused: true }, ["Paused Resume Close", "Resume the"]],
      ["resume", running, ["Laboratory Pause Close", "New tokens appear here automatically"]],
      ["close", { ...running, isActive: false }, ["Closed Open", "Open it to let people in."]],
      ["open", running, ["Laboratory Pause Close", "New tokens appear here automatically"]],
    ] as const) {
      await press({ [verb]: clinic.queue("lab") });
      expect((await clinic.client().queue(clinic.queue("lab"))).data).toMatchObject(flags);
      for (const text of shown) expect(textOf(await card("lab"))).toContain(text);
    }
  });

  test("says that a queue is still paused when it is opened again", async () => {
    const { clinic, press } = await open();
    const lab = clinic.queue("lab");
    await press({ close: lab });
    expect((await press({ open: lab })).text).toBe("Laboratory is open.");
    await press({ pause: lab });
    await press({ close: lab });
    expect((await press({ open: lab })).text).toBe("Laboratory is open. It is still paused.");
  });

  test("says so if there is no queue yet, and leads to the page that adds one", async () => {
    const page = await (await open({ queues: [] })).board();
    expect(textOf(page)).toContain("There is no queue yet.");
    expect(page).toContain('href="/dashboard/queues"');
  });

  test("shows a very long line in pages of 200, with the next person on each page", async () => {
    const entries = Array.from({ length: 450 }, (_, at) => person(`p${at}`));
    const queues = [{ ref: "front", name: "Front", entries }];
    const { board, card, clinic } = await open({ queues });
    const follow = async (card: string, label: string) => {
      const link = new RegExp(`href="/dashboard([^"#]+)#[^"]+">${label}`).exec(card)?.[1] ?? "";
      return cardOf(await board(link.replace("&amp;", "&")), clinic.queue());
    };
    const short = await card();
    expect(lineOf(short)).toHaveLength(20);
    const first = await follow(short, "Show more of them");
    const second = await follow(first, "Show later people");
    const last = await follow(second, "Show later people");
    expect(new Set([first, second, last].flatMap(lineOf)).size).toBe(450);
    expect(last).not.toContain("Show later people");
    expect(lineOf(await follow(last, "Show earlier people"))).toEqual(lineOf(second));
    expect(second).toContain('start="201"');
    for (const text of ["201 to 400 of 450", "Call next A1"])
      expect(textOf(second)).toContain(text);
  });

  test("finds people by token, name or phone, and those who have ended, without a script", async () => {
    const { visitor, clinic } = await open();
    for (const [path, tokens] of [
      ["find?q=PERSÓN+URG", ["A7"]],
      ["find?q=098000+00001", ["A1", "A2", "A3", "A4", "A5", "A6", "A7"]],
      ["find?q=Nobody", []],
      [`ended/${clinic.queue()}`, ["A3", "A2", "A1"]],
    ] as const) {
      const { body } = await visitor.get(`/dashboard/board/${path}`);
      expect([path, ...tokensIn(body)]).toEqual([path, ...tokens]);
    }
  });

  test("is sent to a script when it has changed, and to a browser always", async () => {
    const { clinic, visitor } = await open();
    const script = { "X-Requested-With": "script" };
    const shown = await visitor.get("/dashboard", script);
    const known = { "If-None-Match": shown.headers.get("ETag") };
    expect((await visitor.get("/dashboard", known)).status).toBe(200);
    const unchanged = await visitor.get("/dashboard", { ...script, ...known });
    expect([unchanged.status, unchanged.body]).toEqual([304, ""]);
    await clinic.client().create(clinic.queue(), { name: "Newcomer", phone: "919800000003" });
    const changed = await visitor.get("/dashboard", { ...script, ...known });
    expect(textOf(changed.body)).toContain("A8 Newcomer");
    expect(changed.headers.get("ETag")).not.toBe(shown.headers.get("ETag"));
  });

  test("loads only styles and scripts of this server, and is never cached", async () => {
    const { visitor } = await open();
    const { body, headers } = await visitor.get("/dashboard");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Content-Security-Policy")).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';font-src 'self';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'",
    );
    expect(headers.get("Referrer-Policy")).toBe("same-origin");
    const files = [...body.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)];
    expect(files.length).toBeGreaterThan(4);
    for (const [, file = ""] of files) {
      const asset = await visitorOf(service).get(file);
      expect(asset.status).toBe(200);
      expect(asset.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    }
    expect(body).not.toMatch(/\sstyle=|\son\w+=|<style|src="http/);
  });

  test("works below the path of the service's public URL", async () => {
    const behind = await testService({ settings: { baseUrl: "https://example.org/queue" } });
    const { linkToken } = await inviteOwner(behind, await behind.clinic(busyClinic));
    const visitor = visitorOf(behind, { Origin: "https://example.org" });
    await setPassword(visitor, linkToken);
    const { body } = await visitor.get("/dashboard");
    const links = [...body.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)];
    expect(links.length).toBeGreaterThan(8);
    for (const [, path] of links) expect(path).toMatch(/^\/queue\/dashboard(\/|$)/);
  });
});

describe("a button of the board", () => {
  test.each([
    ["call", "second", "IN_SERVICE", "done", "A6, Person second, was called."],
    ["next", "urgent", "IN_SERVICE", "done", "A7, Person urgent, was called."],
    ["complete", "served", "COMPLETED", "done", "A4, Person served, is completed."],
    ["no-show", "first", "NO_SHOW", "done", "A5, Person first, is a no-show."],
    ["cancel", "first", "CANCELED", "done", "A5, Person first, was canceled."],
    ["priority", "second", "WAITING", "done", "A6, Person second, has priority now."],
    ["requeue", "served", "WAITING", "done", "A4, Person served, is back in the line."],
    ["call", "served", "IN_SERVICE", "warning", "A4 was called already. Nothing was changed."],
    ["complete", "done", "COMPLETED", "warning", "A1 is completed already. Nothing was changed."],
    ["cancel", "left", "CANCELED", "warning", "A3 was canceled already. Nothing was changed."],
    ["no-show", "gone", "NO_SHOW", "warning", "A2 is a no-show already. Nothing was changed."],
    ["complete", "first", "WAITING", "warning", "A5 is waiting. Nothing was changed."],
    [
      ...(["next", "first", "WAITING", "warning"] as const),
      "A5 is no longer next, so nobody was called. The board shows who is.",
    ],
  ] as const)("%s for the person %s leaves them %s, and shows a message", async (...row) => {
    const [verb, ref, status, kind, text] = row;
    const { clinic, press, statusOf } = await open();
    const answer = await press({ [verb]: clinic.entry(ref) });
    expect([answer.status, answer.kind, answer.text]).toEqual([303, kind, text]);
    expect(answer.location).toBe(`/dashboard#queue-${clinic.queue()}`);
    expect(await statusOf(ref)).toBe(status);
  });

  test("keeps the view of the whole line", async () => {
    const { clinic, visitor } = await open();
    const query = `?all=${clinic.queue()}`;
    const fields = { call: clinic.entry("first") };
    const { location } = await visitor.submit(`/dashboard/board${query}`, fields);
    expect(location).toBe(`/dashboard${query}#queue-${clinic.queue()}`);
  });

  test.each<[string, (other: Clinic, own: Clinic) => Fields]>([
    ["a person of another business", (other) => ({ call: other.entry("urgent") })],
    ["a queue of another business", (other) => ({ pause: other.queue() })],
    [
      "a move to a queue of another business",
      (other, own) => ({ transfer: own.entry("first"), to: other.queue("lab") }),
    ],
    ["nothing", () => ({})],
    ["an unknown action", () => ({ constructor: "x" })],
    ["what is no id", () => ({ call: "no id" })],
    ["an undo without the revision that it takes back", (other) => ({ undo: other.entry("done") })],
  ])("for %s gets 404", async (_, fieldsOf) => {
    const [other, { clinic, press }] = [await open(), await open()];
    const before = textOf(await other.card());
    expect((await press(fieldsOf(other.clinic, clinic))).status).toBe(404);
    expect(textOf(await other.card())).toBe(before);
  });

  test("leaves its message for the next page, not for the script of another tab", async () => {
    const { clinic, visitor, board } = await open();
    await visitor.submit("/dashboard/board", { call: clinic.entry("urgent") });
    const byScript = await visitor.get("/dashboard", { "X-Requested-With": "script" });
    expect(messageOn(byScript.body).text).toBe("");
    expect(messageOn(await board()).text).toBe("A7, Person urgent, was called.");
  });
});

test.each([
  [" \u200d ", "This browser has no counter."],
  ["👩‍⚕️ क्‍ष\nپذیرش‌نامه", "Calls from this browser now name 👩‍⚕️ क्‍ष پذیرش‌نامه."],
  ["x".repeat(40), `Calls from this browser now name ${"x".repeat(40)}.`],
  ["x".repeat(41), "This browser has no counter."],
])(
  "the name of a counter is one line of at most 40 characters, and keeps joiners: %j",
  async (counter, said) => {
    const { visitor } = await busyDesk(service);
    const { body } = await visitor.submitAndFollow("/dashboard/board/counter", { counter });
    expect(messageOn(body).text).toBe(said);
  },
);

describe("moving a person to another queue", () => {
  test("gives them a new token, and undo the old token in its position", async () => {
    const { clinic, card, press, person, move } = await open();
    const { page, text } = await move("first");
    expect(text).toBe("A5, Person first, was moved and is L1 now.");
    expect([lineOf(await card()), lineOf(await card("lab"))]).toEqual([["A7", "A6"], ["L1"]]);
    expect(textOf(await person("first"))).toMatch(/Laboratory State Waiting .*Moved from A5/);
    const undone = await press({ undo: fieldIn(page, "undo") });
    expect(undone.text).toBe("A5, Person first, waits in the same place again.");
    expect(lineOf(await card())).toEqual(["A7", "A5", "A6"]);

    const again = await move("first");
    await press({ call: clinic.entry("first") });
    const refused = await press({ undo: fieldIn(again.page, "undo") });
    expect(refused.text).toContain("L2 was changed by another person.");
    expect(await person("first")).not.toContain("Undo the move");
  });

  test.each([
    ["pause", "A5 was not moved. The queue is paused. Resume it first."],
    ["close", "A5 was not moved. The queue is closed. Open it first."],
  ])("is refused by a queue that accepts no tokens (%s)", async (verb, text) => {
    const { clinic, person, press, move } = await open();
    await press({ [verb]: clinic.queue("lab") });
    expect((await move("first")).text).toBe(text);
    expect(await person("first")).not.toContain('name="transfer"');
  });

  test("is refused after 100 moves, and no other limit is named", async () => {
    const { clinic, move } = await open();
    const queues = [clinic.queue("lab"), clinic.queue()];
    for (let moves = 0; moves < 100; moves++)
      await service.store.entries.transfer(
        clinic.id,
        clinic.entry("first"),
        queues[moves % 2] ?? "",
      );
    const { text } = await move("first");
    expect(text).toMatch(
      /^A\d+ was moved as often as it can be\. Add the person as a walk-in instead\.$/,
    );
  });
});

describe("at midnight", () => {
  const evening = morning + 13 * 3_600_000;
  const midnight = () => service.clock.set(evening + 3_600_000);
  beforeEach(() => service.clock.set(evening));
  afterEach(() => service.clock.set(morning));

  test("the people of earlier days are listed until they are ended, and do nothing else", async () => {
    const { clinic, visitor, board, press, person, move } = await open();
    expect(await person("first")).toContain('name="transfer"');
    expect(await board()).not.toContain("of earlier days");
    midnight();
    const page = await person("first");
    expect(actsOn(page)).toEqual(["no-show", "cancel"]);
    expect(page).not.toContain("/print");
    expect(textOf(page)).toContain("Day Sat, 21 Nov 2026 Service");
    expect(actsOn(await person("served"))).toEqual(["complete", "no-show"]);
    const notOfToday = (token: string) =>
      `${token} is not of today, so nothing was changed. Add the person as a walk-in instead.`;
    expect((await move("first")).text).toBe(notOfToday("A5"));
    for (const [verb, ref, token] of [
      ["next", "urgent", "A7"],
      ["call", "first", "A5"],
      ["priority", "first", "A5"],
      ["no-priority", "urgent", "A7"],
      ["call-again", "served", "A4"],
      ["requeue", "served", "A4"],
    ] as const)
      expect((await press({ [verb]: clinic.entry(ref) })).text).toBe(notOfToday(token));

    const first = await board();
    expect(textOf(first)).toContain("4 people of earlier days are not ended.");
    const { body } = await visitor.get(linkTo(first, "List them"));
    expect(tokensIn(body)).toEqual(["A4", "A5", "A6", "A7"]);
    const ended = await press({ "no-show": clinic.entry("first") });
    expect(ended.location).toBe("/dashboard/board/earlier");
    expect(ended.text).toBe("A5, Person first, is a no-show.");
    expect(tokensIn(ended.page)).toEqual(["A4", "A6", "A7"]);
    expect(actsOn(await person("first"))).toEqual(["undo"]);
    expect(textOf(await person("first"))).toMatch(/At 22 Nov 2026, 00:00 is a no-show, by/);
    for (const ref of ["second", "urgent"]) await press({ cancel: clinic.entry(ref) });
    expect(textOf(await board())).toContain("1 person of earlier days is not ended.");
    await press({ complete: clinic.entry("served") });
    expect(await board()).not.toContain("of earlier days");
  });

  test("the people of earlier days are ended together, after a question, each with a row of its own in the audit log", async () => {
    const { clinic, visitor, board, statusOf, person } = await open();
    const end = "/dashboard/board/earlier/end";
    midnight();
    const asked = await visitor.get(linkTo(await board(), "End them all…"));
    expect(textOf(asked.body)).toContain(
      "3 people who wait become no-shows, and 1 person in service is completed.",
    );
    expect(await statusOf("first")).toBe("WAITING");
    const day = fieldIn(asked.body, "day");
    expect(day).toBe("2026-11-22");
    const ended = await visitor.submitAndFollow(end, { day });
    expect(messageOn(ended.body)).toEqual({
      kind: "done",
      text: "4 people of earlier days are ended.",
    });
    expect(ended.body).not.toContain("End them all");
    for (const ref of ["first", "second", "urgent"]) expect(await statusOf(ref)).toBe("NO_SHOW");
    expect(await statusOf("served")).toBe("COMPLETED");
    const log = textOf((await visitor.get("/dashboard/audit")).body);
    for (const ref of ["first", "second", "urgent"])
      expect(log).toContain(`/dashboard/board/people/${clinic.entry(ref)}/no-show`);
    expect(log).toContain(`/dashboard/board/people/${clinic.entry("served")}/complete`);
    expect(log).not.toContain("earlier/end");
    expect(textOf(await person("first"))).toMatch(/At 22 Nov 2026, 00:00 is a no-show, by/);

    const again = await visitor.submitAndFollow(end, { day });
    expect(messageOn(again.body).text).toBe("Everybody of earlier days is ended.");
    expect(textOf((await visitor.get(end)).body)).toContain("Everybody of earlier days is ended.");
  });

  test("a question about the people of earlier days ends nobody once another day has begun", async () => {
    const { visitor, statusOf } = await open();
    const fields = { day: "2026-11-21" };
    midnight();
    const { body } = await visitor.submitAndFollow("/dashboard/board/earlier/end", fields);
    expect(messageOn(body).text).toBe("Another day has begun since, so nobody was ended.");
    expect(await statusOf("first")).toBe("WAITING");
  });

  test("the people of earlier days whom a colleague changes meanwhile are counted apart", async () => {
    const reading = gate();
    const service = await testService({
      interpose: held("entries", "transition", {
        before: reading,
        when: (...[, , , , how]) => how !== undefined,
      }),
    });
    service.clock.set(evening);
    const { clinic, visitor, statusOf } = await open({}, service);
    service.clock.set(evening + 3_600_000);
    reading.close();
    const sent = visitor.submitAndFollow("/dashboard/board/earlier/end", { day: "2026-11-22" });
    await reading.reached(1);
    await service.owner.serve(clinic.entry("first"), "no-show");
    reading.open();
    expect(messageOn((await sent).body)).toEqual({
      kind: "warning",
      text: "3 people of earlier days are ended. 1 person was changed by a colleague meanwhile.",
    });
    expect(await statusOf("second")).toBe("NO_SHOW");
  });

  test("at most 200 people of earlier days are ended at once, and the page says that there are more", async () => {
    const entries = Array.from({ length: 203 }, (_, at) => person(`p${at}`));
    const { visitor, board } = await open({ queues: [{ ref: "front", name: "Front", entries }] });
    midnight();
    const end = "/dashboard/board/earlier/end";
    expect(textOf((await visitor.get(end)).body)).toContain("At most 200 are ended at once.");
    const { body } = await visitor.submitAndFollow(end, { day: "2026-11-22" });
    expect(messageOn(body)).toEqual({
      kind: "warning",
      text: "200 people of earlier days are ended. There are more: end them too.",
    });
    expect(textOf(await board())).toContain("3 people of earlier days are not ended.");
  });

  test("the people of the last 14 days are among them, with their day", async () => {
    const entries = [1, 2, 14, 15].map((ago) => person(`p${ago}`, { date: `today-${ago}` }));
    const { visitor, board, press, clinic } = await open({
      queues: [{ ref: "front", name: "Front", entries }],
    });
    const first = await board();
    expect(textOf(first)).toContain("3 people of earlier days are not ended.");
    const { body } = await visitor.get(linkTo(first, "List them"));
    expect(textOf(body).match(/\w+, \d+ Nov 2026/g)).toEqual([
      "Sat, 7 Nov 2026",
      "Thu, 19 Nov 2026",
      "Fri, 20 Nov 2026",
    ]);
    const ended = await press({ "no-show": clinic.entry("p14") });
    expect(ended.location).toBe("/dashboard/board/earlier");
  });

  test("a list of people that ends says how to see the others", async () => {
    const waiting = Array.from({ length: 51 }, (_, at) => person(`p${at}`));
    const gone = waiting.map(({ ref }) => person(`gone-${ref}`, { status: "NO_SHOW" }));
    const queues = [{ ref: "front", name: "Front", entries: [...waiting, ...gone] }];
    const { clinic, visitor } = await open({ queues });
    const list = async (of: string) => textOf((await visitor.get(`/dashboard/board/${of}`)).body);
    expect(await list("find?q=Person")).toContain("Type more of the name or the number.");
    expect(await list(`ended/${clinic.queue()}`)).toContain("Use the search for the others.");
    midnight();
    expect(await list("earlier")).toContain("End some of these to see the rest.");
  });
});

describe("the page of a person in a queue", () => {
  test("belongs to the board, in the navigation too, as the lists of people do", async () => {
    const { clinic, board, person } = await open();
    const here = '<a href="/dashboard" aria-current="page">Board</a>';
    const pages = [await board(), await person("first"), await board("/board/earlier")];
    for (const page of [...pages, await board(`/board/ended/${clinic.queue()}`)]) {
      expect(page).toContain(here);
      expect(page.match(/aria-current="page"/g)).toHaveLength(1);
    }
    expect(await board("/keys")).not.toContain(here);
  });

  test("shows the details of the person, and who did what, newest first", async () => {
    const { clinic, press, person } = await open();
    expect(textOf(await person("first"))).toMatch(
      /A5 Person first Queue Front desk State Waiting Place 2 Expected wait \d+ min Service Consultation Phone 919800000001 Came 21 Nov 2026, 09:55.*Added by a program/,
    );
    for (const verb of ["call", "complete"]) await press({ [verb]: clinic.entry("first") });
    const acts = /At 10:00 is completed, by \S+@clinic\S+ At 10:00 was called, by \S+@clinic/;
    expect(textOf(await person("first"))).toMatch(acts);
  });

  test("does not say that a program gave the token if the log is too long to look through", async () => {
    const { clinic, person } = await open();
    const requests = Array.from({ length: 10_000 }, (_, n) =>
      auditRow(`${n}`, { businessId: clinic.id, at: morning + 1 + n }),
    );
    await service.store.audit.append(requests);
    expect(await person("first")).not.toContain("a program");
  });

  test("says who gave the token, although time passes between the request and the token", async () => {
    let reads = 0;
    const ticks = (store: Store) => ({ now: () => store.now() + ++reads });
    const ticking = await testService({ interpose: ticks });
    const { checkIn, walkIn, newest } = await open(visits, ticking);
    await walkIn("lab");
    expect(await newest("lab")).toMatch(/L1 .*was added, by \S+@clinic/);
    await checkIn();
    expect(await newest("lab")).toMatch(/L2 .*was added from an appointment, by \S+@clinic/);
  });

  test.each([
    ["first", ["call", "priority", "no-show", "cancel", "transfer"]],
    ["urgent", ["call", "no-priority", "no-show", "cancel", "transfer"]],
    ["served", ["complete", "call-again", "requeue", "no-show", "undo", "transfer"]],
    ["done", ["undo"]],
    ["gone", ["undo"]],
    ["left", ["undo"]],
  ])("has the possible actions (%s)", async (ref, verbs) => {
    expect(actsOn(await (await open()).person(ref))).toEqual(verbs);
  });
});

test.each([
  ["  Anna\u00A0 \n Karenina ", "  Anna\u00A0  Karenina "],
  [" \u00A0 ", " \u00A0 "],
  ["\u000B", "\u000B"],
])(
  "a correction leaves the name %j as it was sent, unless another or none is typed",
  async (name, shown) => {
    const { clinic, visitor } = await open();
    const phone = "919800000003";
    const { data } = await clinic.client().create(clinic.queue(), { name, phone });
    const path = `/dashboard/board/people/${data.id}`;
    for (const [typed, stored] of [
      [shown, name],
      ["", null],
      [" Anna ", "Anna"],
    ] as const) {
      const known = fieldIn((await visitor.get(path)).body, "known");
      const fields = { known, name: typed, phone, service: clinic.service() };
      expect((await visitor.submit(path, fields)).status).toBe(303);
      const corrected = { customer: { name: stored }, serviceId: clinic.service() };
      expect((await clinic.client().entry(data.id)).data).toMatchObject(corrected);
    }
    const kept = await service.store.entries.get(clinic.id, data.id);
    expect(kept?.entry.workMinutes).toBe(15); // that of the new service
  },
);

describe("a printed token", () => {
  const linkIn = (page: string) => /href="([^"]+\/print)"/.exec(page)?.[1] ?? "";

  test("shows the token, the position and the time, never the name or the phone number", async () => {
    const { visitor, personPath } = await open();
    const printed = async (ref: string) => (await visitor.get(`${personPath(ref)}/print`)).body;
    const body = await printed("first");
    expect(textOf(/<main>.*<\/main>/s.exec(body)?.[0] ?? "")).toMatch(
      / A5 Front desk Consultation 1 person is before you \d+ \w+ \d{4}, \d\d:\d\d$/,
    );
    expect(body).not.toMatch(/919800000001|Person first/);
    expect(textOf(await printed("urgent"))).toContain("You are next");
    expect(textOf(await printed("left"))).toContain("Canceled");
  });

  test("is linked by each message of a new token, and by the page of a waiting person", async () => {
    const { visitor, board, card, person, move, walkIn, checkIn } = await open(visits);
    const tokenBehind = async (page: string) =>
      /L\d Laboratory/.exec(textOf((await visitor.get(linkIn(page))).body))?.[0];
    await walkIn("lab"); // neither a name nor a phone number is needed
    expect(await tokenBehind(await board())).toBe("L1 Laboratory");
    expect(textOf(await card("lab"))).toContain("L1 No name since 10:00");
    expect(await tokenBehind(await checkIn())).toBe("L2 Laboratory");
    expect(await tokenBehind((await move("first")).page)).toBe("L3 Laboratory");
    expect(await tokenBehind(await person("first"))).toBe("L3 Laboratory");
    expect(linkIn(await person("served"))).toBe("");
  });
});

describe("a walk-in", () => {
  /** Opens a board, and fills in the form of the current card of its queue. */
  async function openForm(typed: Fields = {}, seed?: BusinessSeed) {
    const opened = await open(seed);
    const form: Fields = { ...walkInForm(await opened.card()), ...typed };
    const send = (changes: Fields = {}) =>
      opened.visitor.submit("/dashboard/board/walk-in", { ...form, ...changes });
    return { ...opened, send };
  }

  test("joins the line with the typed details, and its page says who added it", async () => {
    const typed = { name: " Walker  ", phone: "+91 (98000) 000-09", priority: "on" };
    const { clinic, board, newest, press, send } = await openForm(typed);
    const serviceId = clinic.service();
    const { status, location } = await send({ service: serviceId });
    expect([status, location]).toEqual([303, `/dashboard#queue-${clinic.queue()}`]);
    const said = await board();
    expect(lineOf(cardOf(said, clinic.queue()))).toEqual(["A7", "A8", "A5", "A6"]);
    expect(messageOn(said).text).toMatch(/^A8, Walker, was added: place 2, about \d+ min\./);
    const { data } = await clinic.client().entries(clinic.queue());
    const customer = { name: "Walker", phone: "919800000009" };
    expect(data.at(-1)).toMatchObject({ token: "A8", priority: true, serviceId, customer });
    expect(await newest()).toMatch(/At 10:00 was added, by \S+@clinic/);
    const undone = await press({ cancel: fieldIn(said, "cancel") });
    expect(undone.text).toBe("A8, Walker, was canceled.");
  });

  test("has an expected wait where the API has none, because nobody is finished", async () => {
    const entries = [person("known", { service: "consult" }), person("unknown")];
    const queues = [{ ref: "front", name: "Front desk", entries }];
    const { clinic, board, newest, send } = await openForm({}, { queues });
    expect(await board()).toContain("<dt>Wait if new</dt><dd>30 min</dd>");
    await send();
    expect(messageOn(await board()).text).toMatch(/^A3 was added: place 3, about 30 min\./);
    expect(await newest()).toContain("Expected wait 30 min");
    const { data } = await clinic.client().entries(clinic.queue());
    expect(data.at(-1)).toMatchObject({ token: "A3", predictedWaitMinutes: null });
  });

  test("is added once when its form is sent repeatedly", async () => {
    const { card, board, send } = await openForm({ name: "Walker" });
    const sent = await Promise.all([send(), send(), send()]);
    expect(sent.map(({ status }) => status)).toEqual([303, 303, 303]);
    await send();
    const text = "A8, Walker, was added already. Nobody was added twice.";
    expect(messageOn(await board())).toEqual({ kind: "warning", text });
    await send({ name: "Another" });
    expect(lineOf(await card())).toEqual(["A7", "A5", "A6", "A8"]);
  });

  test("has the first value of a field that is sent twice", async () => {
    const { board, send } = await openForm();
    await send({ name: ["Walker", "Another"], priority: ["on", "on"] });
    expect(messageOn(await board()).text).toMatch(/^A8, Walker, was added: place 2/);
  });

  test("with an error is shown again with the typed text and the reason, in sight without a script", async () => {
    const { card, clinic, send } = await openForm({ name: "x".repeat(121), phone: "12345" });
    const { status, body } = await send();
    expect(status).toBe(422);
    const shown = ['<details class="walk-in" open>', `value="${"x".repeat(121)}"`, 'value="12345"'];
    for (const text of [...shown, "A name has at most 120 characters."])
      expect(body).toContain(text);
    expect(body).toContain(`action="/dashboard/board/walk-in#queue-${clinic.queue()}"`);
    const described = /name="phone"[^>]+aria-describedby="([^"]+)" aria-invalid="true"/.exec(body);
    const errorId = described?.[1]?.split(" ").at(-1);
    expect(body).toMatch(new RegExp(`id="${errorId}">Enter the whole number`));
    expect(lineOf(await card())).toHaveLength(3);
  });

  test("has an error at its field for the longest text that a browser lets a person type", async () => {
    const { card, person, send } = await openForm();
    for (const page of [await card(), await person("first")])
      for (const field of ["name", "phone"]) {
        const [, longest] = new RegExp(`name="${field}"[^>]*maxlength="(\\d+)"`).exec(page) ?? [];
        expect((await send({ [field]: "9".repeat(Number(longest)) })).status).toBe(422);
      }
  });

  test.each([
    ["by a paused queue", {}, "pause", "The queue is paused. Resume it first."],
    ["by a closed queue", {}, "close", "The queue is closed. Open it first."],
    ["beyond the daily limit", { dailyTokenLimit: 7 }, "open", "limit of tokens is reached."],
  ])("is refused %s, and keeps the typed text", async (_, seed, verb, text) => {
    const { clinic, press, send } = await openForm({ name: "Walker" }, seed);
    await press({ [verb]: clinic.queue() });
    const { status, body } = await send();
    expect(status).toBe(422);
    for (const shown of [text, 'value="Walker"']) expect(body).toContain(shown);
  });

  test("is of a queue and a service of this business", async () => {
    const [other, { send }] = [await open(), await openForm()];
    expect((await send({ queue: other.clinic.queue() })).status).toBe(404);
    expect(lineOf(await other.card())).toHaveLength(3);
    const { status, body } = await send({ service: other.clinic.service() });
    expect([status, body.includes("This service is no longer offered.")]).toEqual([422, true]);
  });
});
