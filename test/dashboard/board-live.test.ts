import { describe, expect, test } from "vitest";
import type { Clinic } from "../support/clinic.js";
import { wideKey } from "../support/seed.js";
import { type Service, testService } from "../support/service.js";
import { busyClinic } from "./support/board.js";
import { textOf } from "./support/html.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";

const service = await testService();
const { clock } = service;
const newcomer = { name: "Newcomer", phone: "919800000003" };

/** The board that a script of an owner's page follows. */
async function following(clinic: Clinic, on: Service = service) {
  const visitor = await quicklySignedIn(on, clinic);
  const script = { "X-Requested-With": "script" };
  let tag: string | null = null;
  /** What has changed since the last look; null for nothing. */
  const look = async () => {
    const { status, headers, body } = await visitor.get("/dashboard", {
      ...script,
      "If-None-Match": tag,
    });
    if (status === 304) return body === "" ? null : body;
    expect(status).toBe(200);
    tag = headers.get("ETag");
    return textOf(body);
  };
  await look();
  return { visitor, look };
}

const clinicOf = (on: Service = service) => on.clinic({ keys: [wideKey], ...busyClinic });

const afterTheCall = /In service A4 .* A7 Person urgent .* Complete .* A5 Person first/;

describe("a live board", () => {
  test("shows a token that the API created and changes of another owner, and nothing that the page already shows", async () => {
    const clinic = await clinicOf();
    const { look } = await following(clinic);
    const other = await quicklySignedIn(service, clinic);
    expect(await look()).toBeNull();
    await clinic.client().create(clinic.queue(), newcomer);
    expect(await look()).toContain("A8 Newcomer");
    expect(await look()).toBeNull();
    await other.submit("/dashboard/board", { next: clinic.entry("urgent") });
    expect(await look()).toMatch(afterTheCall);
  });

  test("is sent as a page to a browser that has none, whatever it knows", async () => {
    const { visitor } = await following(await clinicOf());
    const { headers } = await visitor.get("/dashboard");
    const known = { "If-None-Match": headers.get("ETag") };
    expect((await visitor.get("/dashboard", known)).status).toBe(200);
  });

  test("shows the start of a new day", async () => {
    const clinic = await clinicOf();
    const now = clock.read();
    clock.advance({ hours: 11 });
    const { look } = await following(clinic); // its session lasts beyond midnight
    clock.advance({ hours: 4 });
    expect(await look()).toContain("Nobody is waiting.");
    clock.set(now);
  });

  test("receives nothing of another business", async () => {
    const [clinic, other] = [await clinicOf(), await clinicOf()];
    const [ours, theirs] = [await following(clinic), await following(other)];
    await other.client().create(other.queue(), { name: "Stranger", phone: "919800000003" });
    expect(await theirs.look()).toContain("Stranger");
    expect(await ours.look()).toBeNull();
  });
});
