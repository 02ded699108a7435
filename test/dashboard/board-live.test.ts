import { randomBytes } from "node:crypto";
import { openStore, readConfig, startServer } from "@queue-api/server";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { MovableClock, morning } from "../support/clock.js";
import { ownerOf } from "../support/owner.js";
import { wideKey } from "../support/seed.js";
import {
  freshDatabase,
  type Service,
  serviceAt,
  testService,
  withInside,
} from "../support/service.js";
import { busyClinic, cardOf, walkInForm } from "./support/board.js";
import { follow } from "./support/events.js";
import { textOf } from "./support/html.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { restartableService } from "./support/restartable.js";

const service = await testService();

/** An owner with a live board of a clinic. */
async function following(clinic: Clinic, on: Service = service, query = "") {
  const visitor = await quicklySignedIn(on, clinic);
  const page = (await visitor.get(`/dashboard${query}`)).body;
  const events = await follow(visitor, page, onTestFinished);
  return { visitor, page, events };
}

const clinicOf = (on: Service = service) => on.clinic({ keys: [wideKey], ...busyClinic });

describe("a live board", () => {
  test("shows a token that the API created", async () => {
    const clinic = await clinicOf();
    const { events } = await following(clinic);
    await events.next("live");
    await clinic.client().create(clinic.queue(), { name: "Newcomer", phone: "919800000003" });
    const { data } = await events.next("patch");
    expect(data.startsWith(`<div id="queue-${clinic.queue()}">`)).toBe(true);
    expect(textOf(data)).toContain("A8 Newcomer");
    expect(textOf(data)).not.toContain("Laboratory");
  });

  test("shows at once the changes of another owner", async () => {
    const clinic = await clinicOf();
    const { events } = await following(clinic);
    const other = await quicklySignedIn(service, clinic);
    await other.get("/dashboard");
    await events.next("live");
    await other.submit("/dashboard/board", { next: clinic.entry("urgent") });
    const { data } = await events.next("patch");
    expect(textOf(data)).toMatch(
      /In service A4 .* A7 Person urgent .* Complete .* A5 Person first/,
    );
  });

  test("receives no change that the page already shows", async () => {
    const { events } = await following(await clinicOf());
    await events.next("live");
    expect(events.events.map(({ event }) => event)).toEqual(["live"]);
  });

  test("catches up after an interruption", async () => {
    const clinic = await clinicOf();
    const { visitor, page, events } = await following(clinic);
    await events.next("live");
    events.leave();
    await clinic.client().create(clinic.queue(), { name: "Meanwhile", phone: "919800000003" });
    const again = await follow(visitor, page, onTestFinished);
    expect(textOf((await again.next("patch")).data)).toContain("Meanwhile");
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

  test("of a whole line receives every entry", async () => {
    const clinic = await clinicOf();
    const { events } = await following(clinic, service, `?all=${clinic.queue()}`);
    await events.next("live");
    for (let n = 0; n < 20; n++) await clinic.client().create(clinic.queue());
    await expect.poll(() => textOf(events.events.map(({ data }) => data).join())).toContain("A27");
  });

  test("reloads the page when queues or services change", async () => {
    const clinic = await clinicOf();
    const { events } = await following(clinic);
    await events.next("live");
    await service.store?.queues.change(clinic.id, clinic.queue("lab"), { name: "Blood tests" });
    await events.next("reload");
    await events.ended;
  });

  test(
    "shows the start of a new day",
    withInside(service, async ({ clock }) => {
      const clinic = await clinicOf();
      const { events } = await following(clinic);
      await events.next("live");
      const now = clock.read();
      clock.advance({ hours: 11 });
      const { events: later } = await following(clinic); // the session has not ended yet
      await later.next("live");
      clock.advance({ hours: 4 });
      await expect
        .poll(() => textOf(later.events.map(({ data }) => data).join()))
        .toContain("Nobody is waiting.");
      clock.set(now);
    }),
  );

  test("redirects to the sign-in when the session has ended", async () => {
    const clinic = await clinicOf();
    const { visitor, events } = await following(clinic);
    await events.next("live");
    await visitor.submit("/dashboard/sign-out");
    await events.next("reload");
    await events.ended;
  });

  test(
    "redirects to the sign-in when the owner is removed",
    withInside(service, async ({ store }) => {
      const clinic = await clinicOf();
      const { events } = await following(clinic);
      await events.next("live");
      for (const { id } of await store.accounts.list(clinic.id))
        await store.accounts.remove(clinic.id, id, { keepOwner: false });
      await events.next("reload");
    }),
  );

  test("is refused without a session", async () => {
    const { visitor, page } = await following(await clinicOf());
    visitor.cookies.clear();
    const { status } = await follow(visitor, page, onTestFinished);
    expect(status).toBe(401);
  });

  test("receives nothing of another business", async () => {
    const [clinic, other] = [await clinicOf(), await clinicOf()];
    const [{ events }, theirs] = [await following(clinic), await following(other)];
    for (const one of [events, theirs.events]) await one.next("live");
    await other.client().create(other.queue(), { name: "Stranger", phone: "919800000003" });
    await theirs.events.next("patch");
    await clinic.client().create(clinic.queue(), { name: "Newcomer", phone: "919800000003" });
    const { data } = await events.next("patch");
    expect(textOf(data)).toContain("Newcomer");
    expect(textOf(data)).not.toContain("Stranger");
  });
});

test("a browser keeps only its newest twenty boards live", async () => {
  const { visitor, page, events } = await following(await clinicOf());
  await events.next("live");
  for (let n = 0; n < 20; n++) await (await follow(visitor, page, onTestFinished)).next("live");
  await events.next("rest");
  await events.ended;
});

test("a stop of the service ends every stream without waiting", async () => {
  const { service: stopped, stop } = await restartableService(onTestFinished);
  const { events } = await following(await clinicOf(stopped), stopped);
  await events.next("live");
  await stop(); // if it waited, the test would time out
  await events.ended;
});

describe("two instances on one database", () => {
  const { TEST_STORE, TEST_BASE_URL } = process.env;
  const isAlone = TEST_STORE === "memory" || TEST_BASE_URL !== undefined;

  async function instances(): Promise<[Service, Service]> {
    const database = await freshDatabase();
    const clock = new MovableClock(morning);
    const instance = async (): Promise<Service> => {
      const store = await openStore(database.url, { clock: clock.read, random: randomBytes });
      const config = { ...readConfig({}), port: 0, trustProxy: ["loopback"], logLevel: "silent" };
      const server = await startServer({ store, config, random: randomBytes });
      onTestFinished(async () => {
        await server.close();
        await store.close();
      });
      return serviceAt(server.url, ownerOf(store, clock.read), clock, store);
    };
    onTestFinished(database.remove);
    return [await instance(), await instance()];
  }

  test.skipIf(isAlone)("show the changes of the other instance", async () => {
    const [here, there] = await instances();
    const clinic = await clinicOf(here);
    const { events } = await following(clinic, there);
    const visitor = await quicklySignedIn(here, clinic);
    await visitor.get("/dashboard");
    await events.next("live");
    await clinic.client().create(clinic.queue(), { name: "Newcomer", phone: "919800000003" });
    expect(textOf((await events.next("patch")).data)).toContain("A8 Newcomer");
    await visitor.submit("/dashboard/board", { next: clinic.entry("urgent") });
    await expect
      .poll(() => textOf(events.events.map(({ data }) => data).join()))
      .toMatch(/In service A4 .* A7 Person urgent/);
  });

  test.skipIf(isAlone)("refuse a walk-in after the other instance paused the queue", async () => {
    const [here, there] = await instances();
    const clinic = await clinicOf(here);
    const [visitor, other] = [
      await quicklySignedIn(here, clinic),
      await quicklySignedIn(there, clinic),
    ];
    const card = cardOf((await visitor.get("/dashboard")).body, clinic.queue());
    await clinic.client().queue(clinic.queue()); // so that this instance caches the queues of the business
    await other.get("/dashboard");
    await other.submit("/dashboard/board", { pause: clinic.queue() });
    const refused = await visitor.submit("/dashboard/board/walk-in", {
      ...walkInForm(card),
      ...{ name: "Walker", form_token: visitor.formToken },
    });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain("The queue is paused. Resume it first.");
  });
});
