import { describe, expect, test } from "vitest";
import type { BusinessSeed } from "../support/seed.js";
import { testService } from "../support/service.js";
import { allNamed, filledIn, idsOf, pages, routes } from "./support/all-pages.js";
import { makeDisplayLink } from "./support/display.js";
import { textOf } from "./support/html.js";
import { busyDesk, ownedClinic, signedInStaff, visitorOf } from "./support/visitor.js";

const service = await testService();

const seed: BusinessSeed = { appointments: [{ ref: "visit", slotTime: "10:30" }] };

const ofItems = routes.filter(({ path }) => path.includes(":"));
const changes = routes.filter(({ method }) => method === "POST");
const pagesOfBusiness = pages.filter((path) => !path.includes(":"));

describe("of the routes behind the sign-in", async () => {
  const { clinic, visitor: owner } = await busyDesk(service, seed);
  const staff = await signedInStaff(service, clinic);
  const { visitor: otherOwner } = await ownedClinic(service);
  await makeDisplayLink(owner);
  const ids = await idsOf(service, clinic, "first");
  const send = (
    visitor: typeof owner,
    { method, path }: (typeof routes)[number],
    of: Readonly<Record<string, string>> = ids,
  ) => {
    const body = method === "GET" ? null : `form_token=${visitor.formToken}`;
    return visitor.send(method, `/dashboard${filledIn(path, of)}`, body);
  };
  const stored = () => service.store.imports.head(clinic.id);

  test.each(routes)("$method $path is not for strangers; for staff: $forStaff", async (route) => {
    const before = await stored();
    const { status, location } = await send(visitorOf(service), route);
    expect([status, location?.split("?")[0]]).toEqual([303, "/dashboard/sign-in"]);
    const ofStaff = await send(staff, route, route.forStaff ? {} : ids);
    expect(ofStaff.status === 403).toBe(!route.forStaff);
    if (!route.forStaff) expect(textOf(ofStaff.body)).toContain("Only for owners");
    expect(await stored()).toEqual(before);
  });

  test.each(ofItems)("$method $path is of its business alone", async (route) => {
    const before = await stored();
    const answer = await send(otherOwner, route);
    expect(answer.status).toBe(404);
    expect(textOf(answer.body)).toContain("Page not found");
    expect(await stored()).toEqual(before);
    if (route.method === "GET") expect((await send(owner, route)).status).toBeLessThan(400);
  });

  test.each(changes)("POST $path needs the form token, and a page of this site", async (route) => {
    const before = await stored();
    const path = `/dashboard${filledIn(route.path, ids)}`;
    for (const [body, headers] of [
      ["", {}],
      [`form_token=${owner.formToken}`, { Origin: "https://evil.example" }],
    ] as const) {
      expect((await owner.send("POST", path, body, headers)).status).toBe(403);
    }
    expect(await stored()).toEqual(before);
  });

  test("GET /statistics of a queue is of its business alone", async () => {
    const here = `/dashboard/statistics?queue=${clinic.queue()}`;
    expect((await otherOwner.get(here)).status).toBe(404);
    expect((await owner.get(here)).status).toBe(200);
  });

  test("no list shows anything of another business", async () => {
    const theirs = await service.clinic(allNamed("Theirs"));
    await theirs.client().me();
    await expect.poll(() => service.owner.audit(theirs.slug, 1)).toHaveLength(1);
    for (const path of [...pagesOfBusiness, "/audit.csv"]) {
      const { status, body } = await owner.get(`/dashboard${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(body).not.toContain("Their");
    }
  });

  test.each(changes.filter(({ path }) => !path.includes(":")))(
    "a browser that a refused form left at $path can open it again",
    async ({ path }) => {
      expect((await owner.get(`/dashboard${path}`)).status).toBe(200);
    },
  );

  test("each page has the form token in each form", async () => {
    for (const path of pagesOfBusiness) {
      const { body } = await owner.get(`/dashboard${path}`);
      const forms = body.match(/<form[^>]*method="post".*?<\/form>/gs) ?? [];
      expect(forms.length, path).toBeGreaterThan(0);
      for (const form of forms) expect(form, path).toContain(`value="${owner.formToken}"`);
    }
  });
});

test("names that are HTML are text on every page that shows them", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
  const { clinic, visitor } = await ownedClinic(service, allNamed(hostile));
  await signedInStaff(service, clinic);
  await makeDisplayLink(visitor);
  await clinic.client().get(`/v1/${encodeURIComponent("<script>alert(1)</script>")}`);
  const log = async () => (await visitor.get("/dashboard/audit")).body;
  await expect.poll(log).toContain("script%3E");
  const unused = { "/queues": clinic.queue("unused"), "/services": clinic.service("unused") };
  const ids = { ...(await idsOf(service, clinic, "waits")), ...unused };
  for (const path of pages) {
    const { status, body } = await visitor.get(`/dashboard${filledIn(path, ids)}`);
    expect([path, status]).toEqual([path, 200]);
    expect(body).toContain("&lt;script&gt;");
    expect(body).not.toMatch(
      /<script(?! src="\/dashboard\/assets\/)|<img(?! src="\/dashboard\/assets\/)/,
    );
  }
  const again = await visitor.submit("/dashboard/services", { name: hostile, price: hostile });
  expect(again.status).toBe(422);
  expect(again.body).not.toMatch(/<img(?! src="\/dashboard\/assets\/)/);
});

test.each([
  ["   ", "Blank name"],
  ["\u200F\u202E\u2060\u3164", "Blank name"],
  ["\u202EAnna", "\u202EAnna"],
  ["\u05D3\u05E0\u05D4", "\u05D3\u05E0\u05D4"],
  ["\u{1F600}", "\u{1F600}"],
])(
  "the invisible or bidirectional name %j is isolated and visible on each page",
  async (name, shown) => {
    const appointments = [{ ref: "visit", slotTime: "10:30", customer: { name } }];
    const { clinic, visitor } = await ownedClinic(service, { appointments });
    const created = await clinic.client().create(clinic.queue(), { name, phone: "919800000001" });
    expect(created.data.customer.name).toBe(name);
    const person = `/board/people/${created.data.id}`;
    for (const path of ["", person, "/appointments"]) {
      const { body } = await visitor.get(`/dashboard${path}`);
      expect(body.match(/<bdi>.*?<\/bdi>/g)).toContain(`<bdi>${shown}</bdi>`);
      // A field isolates its own value.
      expect(body.replaceAll(/<bdi>.*?<\/bdi>| value="[^"]*"/g, "")).not.toMatch(/[\u200F\u202E]/);
    }
    const { body } = await visitor.get(`/dashboard${person}`);
    expect(/<title>(.*?) · /.exec(body)?.[1]).toBe(`A1 ${shown.replace("\u202E", "")}`);
  },
);
