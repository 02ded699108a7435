import { expect, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { busyClinic, cardOf, lineOf, messageOn } from "./support/board.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import type { Visitor } from "./support/visitor.js";

const service = await testService();

async function open() {
  const clinic = await service.clinic({ keys: [wideKey], ...busyClinic });
  return { clinic, visitor: await quicklySignedIn(service, clinic) };
}

/** The current value of a button on a person's page. */
async function shown(visitor: Visitor, clinic: Clinic, ref: string): Promise<string> {
  const { body } = await visitor.get(`/dashboard/board/people/${clinic.entry(ref)}`);
  return /<button name="[^"]+" value="(\w+\.\d+)"/.exec(body)?.[1] ?? "";
}

/** Presses a button like the page's script, and returns the message without the person's name. */
async function press(visitor: Visitor, verb: string, value: string): Promise<string> {
  const answer = await visitor.submit(
    "/dashboard/board",
    { [verb]: value },
    { "X-Requested-With": "script" },
  );
  expect(answer.status).toBe(200);
  return messageOn(answer.body).text.replace(/, (Person|Customer) \w+,/, "");
}

test("a message offers an undo, and its button works without a script", async () => {
  const { clinic, visitor } = await open();
  await visitor.submit("/dashboard/board", { call: clinic.entry("first") });
  const page = (await visitor.get("/dashboard")).body;
  const [, value = ""] = /name="undo" value="(\w+\.\d+)">Undo</.exec(page) ?? [];
  const undone = await visitor.submit("/dashboard/board", { undo: value });
  expect(undone.status).toBe(303);
  const after = (await visitor.get("/dashboard")).body;
  expect(messageOn(after).text).toBe("A5, Person first, waits in the same place again.");
  expect(lineOf(cardOf(after, clinic.queue()))).toEqual(["A7", "A5", "A6"]);
});

test("an undo must name the revision that it takes back", async () => {
  const { clinic, visitor } = await open();
  const { status } = await visitor.submit("/dashboard/board", { undo: clinic.entry("served") });
  expect(status).toBe(404);
});

test("an undo takes back a cancellation by the API, and the replay of the creation does not change", async () => {
  const { clinic, visitor } = await open();
  const api = clinic.client();
  const created = await api.create(clinic.queue(), undefined, "visit-0001");
  await api.cancel(created.data.id);
  const { body } = await visitor.get(`/dashboard/board/people/${created.data.id}`);
  const [, value = ""] = /name="undo" value="(\w+\.\d+)"/.exec(body) ?? [];
  expect(await press(visitor, "undo", value)).toBe("A8 waits in the same place again.");
  const again = await api.create(clinic.queue(), undefined, "visit-0001");
  expect(again.headers.get("Idempotent-Replay")).toBe("true");
  expect(again.data).toEqual(created.data);
  const entry = (await api.entry(created.data.id)).data;
  expect(entry).toEqual({ ...created.data, predictedWaitMinutes: entry.predictedWaitMinutes });
});

test("two browsers that race on one person 200 times never call twice, and lose no undo", async () => {
  const { clinic } = await open();
  const api = clinic.client();
  const twoBrowsers = async () =>
    [await quicklySignedIn(service, clinic), await quicklySignedIn(service, clinic)] as const;
  let both = await twoBrowsers();
  for (let round = 0; round < 200; round++) {
    if (round % 40 === 39) both = await twoBrowsers(); // a session has a limit of changes per minute
    const [visitor, other] = both;
    const seen = await shown(visitor, clinic, "urgent");
    const calls = await Promise.all([...both, ...both].map((who) => press(who, "next", seen)));
    expect(calls.filter((message) => message === "A7 was called.")).toHaveLength(1);

    const called = await shown(other, clinic, "urgent");
    const verbs = round % 2 === 0 ? (["undo", "undo"] as const) : (["undo", "complete"] as const);
    const [one, two] = await Promise.all(
      verbs.map((verb, at) => press(both[at] ?? visitor, verb, called)),
    );
    const undone = [one, two].filter((message) => message === "A7 waits in the same place again.");
    const completed = two === "A7 is completed.";
    expect(undone.length + Number(completed)).toBe(1);
    if (completed) {
      await press(visitor, "undo", await shown(visitor, clinic, "urgent"));
      await press(visitor, "undo", await shown(visitor, clinic, "urgent"));
    }
    expect(await press(other, "next", seen)).toContain("changed by another person");
    const { status, position } = (await api.entry(clinic.entry("urgent"))).data;
    expect({ status, position }).toEqual({ status: "WAITING", position: 1 });
  }
  const counts = (await api.queue(clinic.queue())).data.counts;
  expect(counts).toMatchObject({ waiting: 3, inService: 1, completed: 1 });
});
