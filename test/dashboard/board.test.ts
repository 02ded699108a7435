import type { EntryStatus } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { busyClinic, cardOf, lineOf, messageOn, person, walkInForm } from "./support/board.js";
import { textOf } from "./support/html.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { signedInVisitor, type Visitor, visitorOf } from "./support/visitor.js";

const service = await testService();

interface Open {
  readonly clinic: Clinic;
  readonly visitor: Visitor;
  /** The current first page. */
  board(query?: string): Promise<string>;
  /** The current card of the queue. */
  card(queue?: string): Promise<string>;
}

/** A clinic, and an owner with an open board. */
async function open(seed: Parameters<typeof service.clinic>[0] = busyClinic): Promise<Open> {
  const clinic = await service.clinic({ keys: [wideKey], ...seed });
  const visitor = await quicklySignedIn(service, clinic);
  const board = async (query = "") => (await visitor.get(`/dashboard${query}`)).body;
  return {
    clinic,
    visitor,
    board,
    card: async (queue = "front") => cardOf(await board(), clinic.queue(queue)),
  };
}

/** Presses a button of the board, and returns the next page. */
async function press(visitor: Visitor, fields: Readonly<Record<string, string>>) {
  const answer = await visitor.submit("/dashboard/board", fields);
  expect(answer.status).toBe(303);
  const page = (await visitor.get(answer.location ?? "")).body;
  const { kind, text: message } = messageOn(page);
  return { page, location: answer.location, kind, message };
}

const statusOf = async (clinic: Clinic, entryId: string): Promise<EntryStatus> =>
  (await clinic.client().entry(entryId)).data.status;

describe("the board", () => {
  test("shows each queue with its counts, its wait, and the people in the order of calling", async () => {
    const { card } = await open();
    const front = await card();
    expect(lineOf(front)).toEqual(["A7", "A5", "A6"]);
    const text = textOf(front);
    expect(text).toContain("Waiting 3 In service 1 Wait if new");
    expect(text).toContain("Completed 1 No-show 1 Canceled 1");
    expect(text).toContain("Call next A7 Person urgent");
    expect(text).toMatch(/In service A4 Person served Consultation · since \d\d:\d\d Complete/);
    expect(text).toContain("A7 Person urgent Priority since 09:55 Call");
    expect(text).toContain("A5 Person first Consultation · since 09:55 Call");
  });

  test("explains what to do with an empty line, in each state of the queue", async () => {
    const { card, clinic, visitor } = await open();
    const id = clinic.queue("lab");
    expect(textOf(await card("lab"))).toContain(
      "Nobody is waiting. New tokens appear here automatically",
    );
    await press(visitor, { pause: id });
    expect(textOf(await card("lab"))).toContain("Resume the queue to let people in.");
    await press(visitor, { close: id });
    expect(textOf(await card("lab"))).toContain("This queue is closed. Open it to let people in.");
  });

  test("explains what to do without a queue", async () => {
    const { board } = await open({ queues: [] });
    const page = await board();
    expect(textOf(page)).toContain("There is no queue yet.");
    expect(page).toContain('href="/dashboard/queues"');
  });

  test("shows the first 20 of a long line, and all on request", async () => {
    const entries = Array.from({ length: 30 }, (_, at) => person(`p${at}`));
    const { board, clinic } = await open({ queues: [{ ref: "front", name: "Front", entries }] });
    const id = clinic.queue();
    const some = cardOf(await board(), id);
    expect(lineOf(some)).toHaveLength(20);
    expect(textOf(some)).toContain("Waiting 30");
    const link =
      /<a class="button" href="\/dashboard([^"#]+)#[^"]+">Show all 30/.exec(some)?.[1] ?? "";
    const all = cardOf(await board(link), id);
    expect(lineOf(all)).toHaveLength(30);
    expect(all).not.toContain("Show all");
  });

  test("shows a very long line in pages of 200, with the next person on each page", async () => {
    const entries = Array.from({ length: 450 }, (_, at) => person(`p${at}`));
    const { board, clinic } = await open({ queues: [{ ref: "front", name: "Front", entries }] });
    const id = clinic.queue();
    const linkIn = (card: string, label: string) =>
      new RegExp(`href="/dashboard([^"#]+)#[^"]+">${label}`)
        .exec(card)?.[1]
        ?.replace("&amp;", "&") ?? "";
    const shown: string[] = [];
    let card = cardOf(await board(linkIn(cardOf(await board(), id), "Show more of them")), id);
    for (const [from, people] of [
      [1, 200],
      [201, 200],
      [401, 50],
    ] as const) {
      expect(lineOf(card)).toHaveLength(people);
      shown.push(...lineOf(card));
      expect(card).toContain(`start="${from}"`);
      expect(textOf(card)).toContain(`${from} to ${from + people - 1} of 450`);
      expect(textOf(card)).toContain("Call next A1");
      const next = linkIn(card, "Show those behind");
      if (from < 401) card = cardOf(await board(next), id);
      else expect(next).toBe("");
    }
    expect(new Set(shown).size).toBe(450);
    expect(lineOf(cardOf(await board(linkIn(card, "Show those before")), id))[0]).toBe(shown[200]);
    // A made-up cursor opens the page of its position, or an empty page after the end of the line.
    for (const [from, first] of [
      ["333", shown[200]],
      ["0", shown[0]],
      ["-5", shown[0]],
      ["x", shown[0]],
      ["999999999", undefined],
    ]) {
      const page = cardOf(await board(`?all=${id}&from=${from}`), id);
      expect(lineOf(page)[0], from).toBe(first);
    }
  });

  test("shows nothing of another business for any request", async () => {
    const other = await open();
    const { board, clinic } = await open();
    const page = await board(`?all=${other.clinic.queue()}`);
    expect(page).toContain(clinic.queue());
    expect(page).not.toContain(other.clinic.queue());
  });

  test("shows a name with any characters unchanged", async () => {
    const name = '<img src=x onerror="alert(1)"> & Söhne';
    const { card } = await open({
      queues: [{ ref: "front", name: "<b>Front</b>", entries: [person("x", { name })] }],
    });
    const front = await card();
    expect(front).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; Söhne");
    expect(front).not.toMatch(/<img|<b>Front/);
  });

  test("shows times and the day in the business's time zone", async () => {
    const { card, board } = await open({ ...busyClinic, timezone: "Pacific/Auckland" });
    expect(textOf(await card())).toContain("A5 Person first Consultation · since 17:25");
    expect(textOf(await board())).toContain("Sat, 21 Nov 2026");
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
    expect(files.map(([, file]) => file?.replace(/\.\w{12}\./, "."))).toEqual([
      ...["/dashboard/assets/icon.svg", "/dashboard/assets/style.css"],
      "/dashboard/assets/dark.css",
      ...["/dashboard/assets/page.js", "/dashboard/assets/board.js"],
      "/dashboard/assets/icon.svg",
    ]);
    for (const [, file = ""] of files) {
      const asset = await visitorOf(service).get(file);
      expect(asset.status).toBe(200);
      expect(asset.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    }
    expect(body).not.toMatch(/\sstyle=|\son\w+=|<style|src="http/);
  });

  test("works below the path of the service's public URL", async () => {
    const baseUrl = "https://example.org/queue";
    const behind = await testService({ settings: { baseUrl } });
    const clinic = await behind.clinic(busyClinic);
    const ownPage = { Origin: "https://example.org" };
    const visitor = await signedInVisitor(behind, clinic, undefined, ownPage);
    const { body } = await visitor.get("/dashboard");
    const links = [...body.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)];
    expect(links.length).toBeGreaterThan(8);
    for (const [, path] of links) expect(path).toMatch(/^\/queue\/dashboard(\/|$)/);
  });
});

describe("a button of the board", () => {
  test.each([
    ["call", "second", "IN_SERVICE", "A6, Person second, was called."],
    ["next", "urgent", "IN_SERVICE", "A7, Person urgent, was called."],
    ["complete", "served", "COMPLETED", "A4, Person served, is completed."],
    ["no-show", "first", "NO_SHOW", "A5, Person first, is a no-show."],
    ["cancel", "first", "CANCELED", "A5, Person first, was canceled."],
  ] as const)("%s performs the action, and shows a message", async (verb, ref, status, text) => {
    const { clinic, visitor } = await open();
    const { kind, message, location } = await press(visitor, { [verb]: clinic.entry(ref) });
    expect({ kind, message }).toEqual({ kind: "done", message: text });
    expect(location).toBe(`/dashboard#queue-${clinic.queue()}`);
    expect(await statusOf(clinic, clinic.entry(ref))).toBe(status);
  });

  test("gives priority, and removes it", async () => {
    const { clinic, visitor, card } = await open();
    const given = await press(visitor, { priority: clinic.entry("second") });
    expect(given.message).toBe("A6, Person second, has priority now.");
    expect(lineOf(await card())).toEqual(["A6", "A7", "A5"]);
    await press(visitor, { "no-priority": clinic.entry("second") });
    expect(lineOf(await card())).toEqual(["A7", "A5", "A6"]);
  });

  test.each([
    ["pause", { isTokenCreationPaused: true, isActive: true }, "Resume Close"],
    ["close", { isTokenCreationPaused: false, isActive: false }, "Open"],
  ] as const)("%s changes the queue, and can be undone", async (verb, flags, offered) => {
    const { clinic, visitor, card } = await open();
    const id = clinic.queue();
    const queue = async () => (await clinic.client().queue(id)).data;
    await press(visitor, { [verb]: id });
    expect(await queue()).toMatchObject(flags);
    expect(textOf(await card())).toContain(`${verb === "pause" ? "Paused" : "Closed"} ${offered}`);
    await press(visitor, { [verb === "pause" ? "resume" : "open"]: id });
    expect(await queue()).toMatchObject({ isTokenCreationPaused: false, isActive: true });
  });

  test("keeps the view of the whole line", async () => {
    const { clinic, visitor } = await open();
    const answer = await visitor.submit(`/dashboard/board?all=${clinic.queue()}`, {
      call: clinic.entry("first"),
    });
    expect(answer.location).toBe(`/dashboard?all=${clinic.queue()}#queue-${clinic.queue()}`);
  });

  test("pressed twice calls one person, and explains that the call already happened", async () => {
    const { clinic, visitor, card } = await open();
    const next = { next: clinic.entry("urgent") };
    const [once, twice] = [await press(visitor, next), await press(visitor, next)];
    expect(once.message).toBe("A7, Person urgent, was called.");
    expect([twice.kind, twice.message]).toEqual([
      "kindly",
      "A7 was called already. Nothing was changed.",
    ]);
    expect(lineOf(await card())).toEqual(["A5", "A6"]);
  });

  test("calls no one when another person is next", async () => {
    const { clinic, visitor } = await open();
    const { kind, message } = await press(visitor, { next: clinic.entry("first") });
    expect([kind, message]).toEqual([
      "kindly",
      "A5 is not next any more, so nobody was called. The board shows who is.",
    ]);
    expect(await statusOf(clinic, clinic.entry("first"))).toBe("WAITING");
  });

  test.each([
    ["call", "served", "A4 was called already. Nothing was changed."],
    ["complete", "done", "A1 is completed already. Nothing was changed."],
    ["cancel", "left", "A3 was canceled already. Nothing was changed."],
    ["no-show", "gone", "A2 is a no-show already. Nothing was changed."],
    ["complete", "first", "A5 is waiting and was not called yet. Nothing was changed."],
    ["priority", "done", "A1 is completed already. Nothing was changed."],
  ])("%s of a person whose status changed (%s) shows a message", async (verb, ref, text) => {
    const { clinic, visitor } = await open();
    const { kind, message } = await press(visitor, { [verb]: clinic.entry(ref) });
    expect([kind, message]).toEqual(["kindly", text]);
  });

  test.each(["call", "next", "priority", "pause"])(
    "%s does not change another business",
    async (verb) => {
      const other = await open();
      const { visitor } = await open();
      const id = verb === "pause" ? other.clinic.queue() : other.clinic.entry("urgent");
      const answer = await visitor.submit("/dashboard/board", { [verb]: id });
      expect(answer.status).toBe(404);
      expect(textOf(await other.card())).toContain("Call next A7");
      expect(textOf(await other.card())).not.toContain("Paused");
    },
  );

  test.each<Record<string, string>>([
    ...[{}, { explode: "x" }, { constructor: "x" }, { call: "no id" }],
  ])("that is unknown (%j) gets 404", async (fields) => {
    const { visitor } = await open();
    expect((await visitor.submit("/dashboard/board", fields)).status).toBe(404);
  });

  test("leaves its message for the next page, not for the script of another tab", async () => {
    const { clinic, visitor } = await open();
    const next = clinic.entry("urgent");
    const { location } = await visitor.submit("/dashboard/board", { call: next });
    const byScript = await visitor.get("/dashboard", { "X-Requested-With": "script" });
    expect(messageOn(byScript.body).text).toBe("");
    expect(messageOn((await visitor.get(location ?? "")).body).text).toBe(
      "A7, Person urgent, was called.",
    );
  });

  test("pressed by the page's script returns only the message", async () => {
    const { clinic, visitor } = await open();
    const answer = await visitor.submit(
      "/dashboard/board",
      { next: clinic.entry("urgent") },
      { "X-Requested-With": "script" },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/^<div id="flash">.*<\/form><\/div>$/);
    expect(textOf(answer.body)).toBe("A7, Person urgent, was called. Undo");
  });
});

describe("the page of a person in a queue", () => {
  const buttons = (page: string) =>
    [...page.matchAll(/<button name="([^"]+)" value="\w+\.\d+"/g)].map(([, verb]) => verb);

  test("shows the details of the person", async () => {
    const { clinic, visitor } = await open();
    const { body } = await visitor.get(`/dashboard/board/people/${clinic.entry("first")}`);
    expect(textOf(body)).toMatch(
      /A5 Person first Queue Front desk State Waiting Place 2 Expected wait \d+ min Service Consultation Phone 919800000001 Came 21 Nov 2026, 09:55/,
    );
  });

  test.each([
    ["first", ["call", "priority", "no-show", "cancel", "transfer"]],
    ["urgent", ["call", "no-priority", "no-show", "cancel", "transfer"]],
    ["served", ["complete", "call-again", "requeue", "no-show", "undo", "transfer"]],
    ["done", ["undo"]],
    ["gone", ["undo"]],
    ["left", ["undo"]],
  ])("has the possible actions (%s)", async (ref, verbs) => {
    const { clinic, visitor } = await open();
    const { body } = await visitor.get(`/dashboard/board/people/${clinic.entry(ref)}`);
    expect(buttons(body)).toEqual(verbs);
  });

  test("says that a program added the person", async () => {
    const { clinic, visitor } = await open();
    const { body } = await visitor.get(`/dashboard/board/people/${clinic.entry("first")}`);
    expect(textOf(body)).toContain("Added by a program");
  });

  test("says who did what, newest first", async () => {
    const { clinic, visitor } = await open();
    const person = `/dashboard/board/people/${clinic.entry("first")}`;
    for (const verb of ["call", "complete"])
      await visitor.submit("/dashboard/board", { [verb]: clinic.entry("first") });
    const { body } = await visitor.get(person);
    expect(textOf(body)).toMatch(
      /At 10:00 is completed, by \S+@clinic.example At 10:00 was called, by \S+@clinic.example/,
    );
  });

  test("of another business does not exist", async () => {
    const other = await open();
    const { visitor } = await open();
    const answer = await visitor.get(`/dashboard/board/people/${other.clinic.entry("first")}`);
    expect(answer.status).toBe(404);
  });
});

describe("a walk-in", () => {
  /** Fills in the form of the current card of a queue. */
  async function fill({ card, visitor }: Open, fields: Readonly<Record<string, string>> = {}) {
    return { ...walkInForm(await card()), ...fields, form_token: visitor.formToken };
  }

  test("joins the line with the typed details", async () => {
    const opened = await open();
    const { clinic, visitor, card } = opened;
    const form = await fill(opened, {
      name: " Walker  ",
      phone: "+91 (98000) 000-09",
      service: clinic.service(),
      priority: "on",
    });
    const answer = await visitor.submit("/dashboard/board/walk-in", form);
    expect([answer.status, answer.location]).toEqual([303, `/dashboard#queue-${clinic.queue()}`]);
    expect(lineOf(await card())).toEqual(["A7", "A8", "A5", "A6"]);
    const entries = (await clinic.client().entries(clinic.queue())).data;
    expect(entries.at(-1)).toMatchObject({
      token: "A8",
      priority: true,
      serviceId: clinic.service(),
      customer: { name: "Walker", phone: "919800000009" },
    });
  });

  test("has a card that says who added it, last", async () => {
    const opened = await open();
    const { clinic, visitor } = opened;
    await visitor.submit("/dashboard/board/walk-in", await fill(opened));
    const [added] = (await clinic.client().entries(clinic.queue())).data.slice(-1);
    await visitor.submit("/dashboard/board", { call: added?.id ?? "" });
    const { body } = await visitor.get(`/dashboard/board/people/${added?.id}`);
    expect(textOf(body)).toMatch(
      /At 10:00 was called, by \S+@clinic.example At 10:00 was added, by \S+@clinic.example/,
    );
  });

  test("needs neither name nor phone", async () => {
    const opened = await open();
    const { visitor, card } = opened;
    const { status } = await visitor.submit("/dashboard/board/walk-in", await fill(opened));
    expect(status).toBe(303);
    expect(textOf(await card())).toContain("A8 No name since 10:00");
  });

  test("is added once when its form is sent repeatedly", async () => {
    const opened = await open();
    const { visitor, card } = opened;
    const form = await fill(opened, { name: "Walker" });
    const sent = await Promise.all(
      [1, 2, 3].map(() => visitor.submit("/dashboard/board/walk-in", form)),
    );
    expect(sent.map(({ status }) => status)).toEqual([303, 303, 303]);
    await visitor.submit("/dashboard/board/walk-in", form);
    expect(messageOn((await visitor.get("/dashboard")).body)).toEqual({
      kind: "kindly",
      text: "A8, Walker, was added already. Nobody was added twice.",
    });
    await visitor.submit("/dashboard/board/walk-in", { ...form, name: "Another" });
    expect(lineOf(await card())).toEqual(["A7", "A5", "A6", "A8"]);
  });

  test("with an error is shown again with the typed text and the reason", async () => {
    const opened = await open();
    const { visitor, card } = opened;
    const form = await fill(opened, { name: "x".repeat(121), phone: "12345" });
    const { status, body } = await visitor.submit("/dashboard/board/walk-in", form);
    expect(status).toBe(422);
    expect(body).toMatch(/<details class="walk-in" open>/);
    expect(body).toContain(`value="${"x".repeat(121)}"`);
    expect(body).toContain('value="12345"');
    const described = /name="phone"[^>]+aria-describedby="([^"]+)" aria-invalid="true"/.exec(body);
    const errorId = described?.[1]?.split(" ").at(-1);
    expect(body).toMatch(new RegExp(`id="${errorId}">Enter the whole number`));
    expect(body).toContain("A name has at most 120 characters.");
    expect(lineOf(await card())).toHaveLength(3);
  });

  test.each([
    ["pause", "The queue is paused. Resume it first."],
    ["close", "The queue is closed. Open it first."],
  ])("is refused by a queue that accepts no tokens (%s)", async (verb, text) => {
    const opened = await open();
    const { clinic, visitor } = opened;
    const form = await fill(opened, { name: "Walker" });
    await press(visitor, { [verb]: clinic.queue() });
    const { status, body } = await visitor.submit("/dashboard/board/walk-in", form);
    expect(status).toBe(422);
    expect(body).toContain(text);
    expect(body).toContain('value="Walker"');
    await press(visitor, { [verb === "pause" ? "resume" : "open"]: clinic.queue() });
    expect((await visitor.submit("/dashboard/board/walk-in", form)).status).toBe(303);
  });

  test("is refused beyond the daily limit", async () => {
    const opened = await open({ ...busyClinic, dailyTokenLimit: 7 });
    const { body } = await opened.visitor.submit("/dashboard/board/walk-in", await fill(opened));
    expect(body).toContain("limit of tokens is reached.");
  });

  test("cannot join a queue of another business", async () => {
    const other = await open();
    const opened = await open();
    const form = { ...(await fill(opened)), queue: other.clinic.queue() };
    const { status } = await opened.visitor.submit("/dashboard/board/walk-in", form);
    expect(status).toBe(404);
    expect(lineOf(await other.card())).toHaveLength(3);
  });

  test("can have only a service of this business", async () => {
    const other = await open();
    const opened = await open();
    const form = await fill(opened, { service: other.clinic.service() });
    const { status, body } = await opened.visitor.submit("/dashboard/board/walk-in", form);
    expect([status, body.includes("This service is not offered any more.")]).toEqual([422, true]);
  });

  test("added by the page's script returns a new form", async () => {
    const opened = await open();
    const form = await fill(opened, { name: "Walker" });
    const { body } = await opened.visitor.submit("/dashboard/board/walk-in", form, {
      "X-Requested-With": "script",
    });
    expect(textOf(body)).toMatch(/A8, Walker, was added: place 4, about \d+ min\. .*Undo/);
    const undo = /name="cancel" value="(\w+\.0)">Undo/.exec(body)?.[1] ?? "";
    expect((await press(opened.visitor, { cancel: undo })).message).toBe(
      "A8, Walker, was canceled.",
    );
    expect(body).toMatch(/<div id="walk-in-\w+"><form/);
    expect(body).not.toContain('value="Walker"');
    expect(body).not.toContain(String((form as { form?: string }).form));
  });
});
