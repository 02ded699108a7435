import { describe, expect, test } from "vitest";
import { morning } from "../support/clock.js";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { type BusinessSeed, mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { fieldIn, linkTo, rowsOf, textOf } from "./support/html.js";
import { ownedClinic, type PageAnswer, signedInVisitor } from "./support/visitor.js";

const service = await testService();
const { clock } = service;

const newKey = {
  name: "Kiosk",
  scopes: ["queue:read", "queue:write"],
  days: "90",
  allowIps: "",
  requestsPerMinute: "120",
  writesPerMinute: "30",
};

/** A clinic whose owner is signed in, with the path of its main key. */
async function open(seed: BusinessSeed = {}) {
  const { clinic, visitor } = await ownedClinic(service, seed);
  return { clinic, visitor, here: `/dashboard/keys/${clinic.keyId()}` };
}

/** The key that a page shows. */
function shownKey({ body }: PageAnswer): string {
  const [key] = /svc_live_[a-zA-Z0-9]{24}_[a-zA-Z0-9]{43}/.exec(body) ?? [];
  if (key === undefined) throw new Error("the page shows no key");
  return key;
}

describe("the list of keys", () => {
  test("shows scopes, expiry, last use, addresses and limits, in the business's time zone", async () => {
    const allowIps = ["203.0.113.0/24", "2001:db8::7"];
    const office = { name: "Office", days: 30, allowIps, requestsPerMinute: 7 };
    const { clinic, visitor } = await open({
      keys: [mainKey, office, { name: "Old", revoked: true }],
    });
    expectStatus(await clinic.client().me(), 200);
    const { body } = await visitor.get("/dashboard/keys");
    const row = (of: string) => rowsOf(body).find(([name]) => name === of);
    expect(row("Main")).toEqual([
      ...["Main", "Active", "queue:read queue:write appointments:read"],
      ...[`21 Nov 2026, 10:00 ${clinic.keyId()}`, "19 Feb 2027, 10:00", "21 Nov 2026, 10:00"],
      ...["anywhere", "120, 30 writes"],
    ]);
    expect(row("Office")?.slice(5)).toEqual(["never", "203.0.113.0/24 and 1 more", "7, 30 writes"]);
    expect(row("Old")?.[1]).toBe("Revoked");
    expect(textOf(body)).toContain("2 of 10");
    expect(body).not.toContain(clinic.key().split("_")[3]);
  });

  test("warns about a key two weeks before it expires, and offers to replace it", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, name: "Ending", days: 15 }] });
    const keysPage = async () =>
      (await (await signedInVisitor(service, clinic)).get("/dashboard/keys")).body;
    clock.advance({ hours: 23 });
    expect(textOf(await keysPage())).not.toContain("Expires soon");
    clock.advance({ hours: 1 });
    const warned = await keysPage();
    expect(textOf(warned)).toMatch(/Ending expires in 14 days, on \d\d? \w{3} \d{4}/);
    expect(linkTo(warned, "Replace it with a new one")).toMatch(/keys\/\w+\/rotate$/);
    clock.advance({ days: 14 });
    expect(textOf(await keysPage())).toContain("1 revoked or expired");
    clock.set(morning);
  });
});

describe("creating a key", () => {
  test("shows the key once, with a working example request", async () => {
    const { clinic, visitor } = await open();
    const allowIps = "203.0.113.7\n198.51.100.0/24, 2001:db8::7";
    const creation = await visitor.submit("/dashboard/keys", { ...newKey, allowIps });
    expect([creation.status, creation.headers.get("Cache-Control")]).toEqual([201, "no-store"]);
    const key = shownKey(creation);
    const example = `curl -H "Authorization: Bearer ${key}" ${service.url}/v1/me`;
    expect(textOf(creation.body)).toContain(example);
    const me = await clinic.client().with(key).from("198.51.100.20").me();
    expectStatus(me, 200);
    expect(me.data.key).toMatchObject({ name: "Kiosk", scopes: newKey.scopes });
    expectRefusal(await clinic.client().with(key).me(), 403, "ip_not_allowed");

    const [, , id = "", secret = key] = key.split("_");
    for (const path of ["/keys", `/keys/${id}`, `/keys/${id}/rotate`, "/audit", "/account"]) {
      const { status, body } = await visitor.get(`/dashboard${path}`);
      expect([status, body.includes(secret)]).toEqual([200, false]);
    }
  });

  test("leads to a list that marks the key as new once, among keys of the same name", async () => {
    const { clinic, visitor } = await open({ keys: [{ ...mainKey, name: "Kiosk" }] });
    const creation = await visitor.submit("/dashboard/keys", newKey);
    const [, , id = ""] = shownKey(creation).split("_");
    const older = ["Kiosk Older key with this name", clinic.keyId()];
    for (const [path, name] of [
      [linkTo(creation.body, "I have copied it"), "Kiosk New"],
      ["/dashboard/keys", "Kiosk"],
    ] as const) {
      const rows = rowsOf((await visitor.get(path)).body);
      const named = rows.map(([name, , , made]) => [name, made?.split(" ").at(-1)]);
      expect(named).toEqual([[name, id], older]);
    }
  });

  test("is refused at ten active keys, with an explanation", async () => {
    const spare = Array.from({ length: 10 }, (_, n) => ({ name: `Spare ${n}` }));
    const { visitor } = await ownedClinic(service, { keys: spare });
    const full = "10 keys in use, which is the maximum";
    for (const page of [
      await visitor.get("/dashboard/keys/new"),
      await visitor.submit("/dashboard/keys", newKey),
    ]) {
      expect(textOf(page.body)).toContain(full);
      expect(linkTo(page.body, "To the keys")).toBe("/dashboard/keys");
    }
    const key = linkTo((await visitor.get("/dashboard/keys")).body, "Spare 3");
    const confirmation = await visitor.get(`${key}/rotate`);
    const rotated = await visitor.submit(`${key}/rotate`, { days: "90" });
    expect([confirmation.status, rotated.status]).toEqual([200, 409]);
    for (const { body } of [confirmation, rotated])
      for (const text of [full, "both work until you revoke the old one"])
        expect(textOf(body)).toContain(text);
    await visitor.submit(`${key}/revoke`);
    expect((await visitor.submit("/dashboard/keys", newKey)).status).toBe(201);
  });
});

test("a change of a key takes effect on its next request", async () => {
  const { clinic, visitor, here } = await open();
  const limits = { requestsPerMinute: "9", writesPerMinute: "3" };
  const change = { name: "Renamed", allowIps: "203.0.113.7", ...limits };
  expectStatus(await clinic.client().me(), 200);
  const { body } = await visitor.submitAndFollow(here, change);
  const said = "Renamed is changed. The change applies from the next request on.";
  expect(textOf(body)).toContain(said);
  expect(fieldIn(body, "allowIps")).toBe("203.0.113.7");
  expectRefusal(await clinic.client().me(), 403, "ip_not_allowed");
  expect((await clinic.client().from("203.0.113.7").me()).data).toMatchObject({
    key: { name: "Renamed" },
    limits: { requestsPerMinute: 9, writesPerMinute: 3 },
  });
  await visitor.submitAndFollow(here, { ...change, allowIps: "" });
  expectStatus(await clinic.client().me(), 200);
});

test("revoking a key needs a confirmation, takes effect on the next request, and leaves nothing to replace", async () => {
  const { clinic, visitor, here } = await open();
  const confirmation = async () => textOf((await visitor.get(`${here}/revoke`)).body);
  expect(await confirmation()).toMatch(
    /Revoke this key\? Main , made on .* stops working with its next request.*It was never used\./,
  );
  expectStatus(await clinic.client().me(), 200);
  expect(await confirmation()).toContain("It was last used on 21 Nov 2026, 10:00");
  const { body } = await visitor.submitAndFollow(`${here}/revoke`);
  expect(textOf(body)).toContain("Main is revoked.");
  expectRefusal(await clinic.client().me(), 401, "unauthorized");
  expect(rowsOf(body)).toEqual([expect.arrayContaining(["Main", "Revoked"])]);
  expect((await visitor.get(here)).body).not.toContain(`${here}/revoke`);
  const replacement = await visitor.get(`${here}/rotate`);
  expect(replacement.status).toBe(409);
  expect(textOf(replacement.body)).toContain("Make a new one instead.");
});

test("replacing a key creates an equal one, and revokes the old one on request", async () => {
  const old = { ...mainKey, allowIps: ["10.0.0.0/8"], requestsPerMinute: 77, days: 30 };
  const { clinic, visitor, here } = await open({ keys: [old] });
  expect(fieldIn((await visitor.get(`${here}/rotate`)).body, "days")).toBe("30");
  const creation = await visitor.submit(`${here}/rotate`, { days: "60" });
  expect(creation.status).toBe(201);
  const key = shownKey(creation);
  const progress = linkTo(creation.body, "I have copied it");
  const shown = async () => textOf((await visitor.get(progress)).body);
  expect((await visitor.get(progress)).body).toContain('data-live="5"'); // in seconds
  expect(await shown()).toContain("The new key has not been used yet.");
  const [before, after] = [await clinic.client().me(), await clinic.client().with(key).me()];
  expectStatus(before, 200);
  const { id: _, expiresAt, ...same } = after.data.key;
  expect(before.data.key).toMatchObject(same);
  expect(after.data.limits).toEqual(before.data.limits);
  expect((Date.parse(expiresAt ?? "") - service.now()) / 86_400_000).toBeCloseTo(60, 1);

  const { body } = await visitor.get(progress);
  expect(textOf(body)).toContain("The new key is in use.");
  expect(rowsOf(body).map(([which, state]) => [which, state])).toEqual([
    ["New", "Active"],
    ["Old", "Active"],
  ]);
  await visitor.submit(`${here}/revoke`);
  expectRefusal(await clinic.client().me(), 401, "unauthorized");
  expectStatus(await clinic.client().with(key).me(), 200);
  expect(await shown()).toContain("The replacement is complete.");
});

test("the access switch needs a confirmation and a known value to turn access off, and turns it on again", async () => {
  const { clinic, visitor } = await open();
  const path = "/dashboard/keys/access";
  expect(textOf((await visitor.get(path)).body)).toContain("Switch off access?");
  expect((await visitor.submit(path, { access: "maybe" })).status).toBe(422);
  expectStatus(await clinic.client().me(), 200);
  const off = await visitor.submitAndFollow(path, { access: "off" });
  expect(textOf(off.body)).toContain("Access by other programs is off.");
  expectRefusal(await clinic.client().me(), 403, "api_access_disabled");
  await visitor.submitAndFollow(path, { access: "on" });
  expectStatus(await clinic.client().me(), 200);
});
