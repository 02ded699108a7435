import { describe, expect, onTestFinished, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { MovableClock, morning } from "../support/clock.js";
import { wideKey } from "../support/seed.js";
import { freshDatabase, type Service, testService } from "../support/service.js";
import { busyClinic, cardOf, walkInForm } from "./support/board.js";
import { type Following, follow } from "./support/events.js";
import { textOf } from "./support/html.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { restartableService } from "./support/restartable.js";

const service = await testService();
const { clock } = service;
const newcomer = { name: "Newcomer", phone: "919800000003" };

/** An owner with a live board of a clinic. */
async function following(clinic: Clinic, on: Service = service) {
  const visitor = await quicklySignedIn(on, clinic);
  const page = (await visitor.get("/dashboard")).body;
  const events = await follow(visitor, page, onTestFinished);
  await events.next("live");
  return { visitor, page, events };
}

const clinicOf = (on: Service = service) => on.clinic({ keys: [wideKey], ...busyClinic });

const sent = ({ events }: Following) => textOf(events.map(({ data }) => data).join());

const afterTheCall = /In service A4 .* A7 Person urgent .* Complete .* A5 Person first/;

describe("a live board", () => {
  test("shows a token that the API created and changes of another owner, and nothing that the page already shows", async () => {
    const clinic = await clinicOf();
    const { events } = await following(clinic);
    const other = await quicklySignedIn(service, clinic);
    expect(events.events.map(({ event }) => event)).toEqual(["live"]);
    await clinic.client().create(clinic.queue(), newcomer);
    const { data } = await events.next("patch");
    expect(data.startsWith(`<div id="queue-${clinic.queue()}">`)).toBe(true);
    expect(textOf(data)).toContain("A8 Newcomer");
    expect(textOf(data)).not.toContain("Laboratory");
    await other.submit("/dashboard/board", { next: clinic.entry("urgent") });
    expect(textOf((await events.next("patch")).data)).toMatch(afterTheCall);
  });

  test("receives the whole board when its version is too old", async () => {
    const { visitor, page } = await following(await clinicOf());
    const old = page.replace(/snapshot=[\w-]+/, "snapshot=long-gone");
    const events = await follow(visitor, old, onTestFinished);
    const { data, id } = await events.next("patch");
    expect(textOf(data)).toContain("A7 Person urgent");
    expect(textOf(data)).toContain("Person second");
    expect(page).toContain(`snapshot=${id}`);
  });

  test("shows the start of a new day", async () => {
    const clinic = await clinicOf();
    const now = clock.read();
    clock.advance({ hours: 11 });
    const { events } = await following(clinic); // its session lasts beyond midnight
    clock.advance({ hours: 4 });
    await expect.poll(() => sent(events)).toContain("Nobody is waiting.");
    clock.set(now);
  });

  test("receives nothing of another business", async () => {
    const [clinic, other] = [await clinicOf(), await clinicOf()];
    const [ours, theirs] = [await following(clinic), await following(other)];
    await other.client().create(other.queue(), { name: "Stranger", phone: "919800000003" });
    await theirs.events.next("patch");
    await clinic.client().create(clinic.queue(), newcomer);
    const { data } = await ours.events.next("patch");
    expect(textOf(data)).toContain("Newcomer");
    expect(textOf(data)).not.toContain("Stranger");
  });
});

test.skipIf(process.env.TEST_STORE === "memory")(
  "two instances on one database show each other's changes, and refuse a walk-in to a queue that the other paused",
  async () => {
    const database = await freshDatabase();
    onTestFinished(database.remove);
    const clock = new MovableClock(morning);
    const instance = async () =>
      (await restartableService(onTestFinished, database.url, clock)).service;
    const [here, there] = [await instance(), await instance()];
    const clinic = await clinicOf(here);
    const { visitor: other, events } = await following(clinic, there);
    const visitor = await quicklySignedIn(here, clinic);
    await clinic.client().create(clinic.queue(), newcomer);
    expect(textOf((await events.next("patch")).data)).toContain("A8 Newcomer");
    await visitor.submit("/dashboard/board", { next: clinic.entry("urgent") });
    await expect.poll(() => sent(events)).toMatch(afterTheCall);

    const card = cardOf((await visitor.get("/dashboard")).body, clinic.queue());
    await clinic.client().queue(clinic.queue()); // so that this instance caches the queues of the business
    await other.submit("/dashboard/board", { pause: clinic.queue() });
    const form = { ...walkInForm(card), name: "Walker", form_token: visitor.formToken };
    const refused = await visitor.submit("/dashboard/board/walk-in", form);
    expect(refused.status).toBe(422);
    expect(refused.body).toContain("The queue is paused. Resume it first.");
  },
);
