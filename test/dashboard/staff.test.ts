import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { pages } from "../../server/src/dashboard/pages.js";
import { hashSecret, newSecret } from "../../server/src/rules/key.js";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import type { Clinic } from "../support/clinic.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { busyClinic } from "./support/board.js";
import { rowsOf, textOf } from "./support/html.js";
import { quicklySignedIn } from "./support/quick-sign-in.js";
import { password, signIn, type Visitor, visitorOf } from "./support/visitor.js";

const service = await testService();

const newClinic = () => service.clinic({ keys: [wideKey], ...busyClinic });

/** The link that a page shows. */
function linkOn(body: string): URL {
  return new URL(/id="the-link"[^>]*>([^<]+)</.exec(body)?.[1] ?? "");
}

/** Invites a person from the dashboard. The person sets a password with the link and is signed in. */
async function invited(owner: Visitor, role: "staff" | "owner") {
  const email = `${role}-${crypto.randomUUID()}@clinic.example`;
  const answer = await owner.submit("/dashboard/staff", { email, role });
  expect(answer.status).toBe(201);
  const link = linkOn(answer.body);
  const visitor = visitorOf(service);
  const token = link.searchParams.get("token") ?? "";
  const set = await visitor.submit(link.pathname, { token, password, again: password });
  expect(set.status).toBe(303);
  await visitor.get("/dashboard/account");
  return { visitor, email, token };
}

/** A signed-in staff account, added to the store directly. */
async function staffOf(clinic: Clinic): Promise<Visitor> {
  const { store } = service;
  if (!store) throw new Error("the store cannot be reached");
  const owner = {
    id: newSecret(randomBytes).slice(0, 24),
    businessId: clinic.id,
    email: `staff-${crypto.randomUUID()}@clinic.example`,
    passwordHash: null,
    role: "staff" as const,
    createdAt: service.now(),
  };
  const link = { tokenHash: hashSecret(owner.id), ownerId: owner.id };
  await store.accounts.add(clinic.id, owner, { ...link, expiresAt: service.now() + 1000 });
  await store.accounts.setPassword(link.tokenHash, "$hash");
  const session = newSecret(randomBytes);
  await store.sessions.start(
    clinic.id,
    newOwnerSession(owner, hashSecret(session), service.now()),
    "$hash",
  );
  const visitor = visitorOf(service);
  visitor.cookies.set("queue_api_session", session);
  await visitor.get("/dashboard/account");
  return visitor;
}

/** Every route of the pages, read from the source. */
const routes = pages.flatMap(({ routes, forStaff = false }) =>
  Object.keys(routes).map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path, forStaff };
  }),
);

describe("staff", () => {
  test("can open the board, appointments, statistics and their own account, and no other page", () => {
    const seen = pages.filter(({ forStaff }) => forStaff).map(({ title }) => title);
    expect(seen).toEqual(["Board", "Appointments", "Statistics", "Account"]);
  });

  test.each(routes.filter(({ forStaff }) => !forStaff))(
    "are refused $method $path",
    async ({ method, path }) => {
      const clinic = await newClinic();
      const visitor = await staffOf(clinic);
      const filled = `/dashboard${path}`
        .replace("/keys/:id", `/keys/${clinic.keyId()}`)
        .replace(/:\w+/g, clinic.queue());
      const answer =
        method === "GET" ? await visitor.get(filled) : await visitor.submit(filled, {});
      expect(answer.status).toBe(403);
      expect(textOf(answer.body)).toContain("Only for owners");
      expect(answer.body).not.toContain(clinic.keyId());
    },
  );

  test.each(routes.filter(({ forStaff }) => forStaff))(
    "are not refused $method $path",
    async ({ method, path }) => {
      const clinic = await newClinic();
      const visitor = await staffOf(clinic);
      const filled = `/dashboard${path}`
        .replace(":entryId", clinic.entry("first"))
        .replace(/:\w+/g, "x");
      if (path.endsWith("/events")) return; // a stream does not end; the tests of the board cover it
      const answer =
        method === "GET" ? await visitor.get(filled) : await visitor.submit(filled, {});
      expect(answer.status).not.toBe(403);
    },
  );

  test("have no links to other pages", async () => {
    const visitor = await staffOf(await newClinic());
    for (const page of ["", "/appointments", "/statistics", "/account"]) {
      const { body } = await visitor.get(`/dashboard${page}`);
      expect(body).not.toMatch(/href="\/dashboard\/(keys|audit|staff|services|queues|display)/);
    }
  });

  test("can serve people, and the audit log has the account of each change", async () => {
    const clinic = await newClinic();
    const owner = await quicklySignedIn(service, clinic);
    const { visitor, email } = await invited(owner, "staff");
    const id = clinic.entry("first");
    await visitor.submit("/dashboard/board", { call: id });
    await visitor.submit("/dashboard/board", { pause: clinic.queue() });
    await visitor.submit("/dashboard/board", { call: id }); // already called: no change
    await visitor.submit("/dashboard/keys", {}); // refused
    await owner.submit("/dashboard/board", { complete: id });
    const { body } = await owner.get("/dashboard/audit?path=/dashboard/board");
    const done = rowsOf(body).map(([, request, status, who]) => [request, status, who]);
    expect(done.map(([request]) => request)).toEqual([
      `POST /dashboard/board/people/${id}/complete`,
      `POST /dashboard/board/queues/${clinic.queue()}/pause`,
      `POST /dashboard/board/people/${id}/call`,
    ]);
    expect(done[1]).toEqual([done[1]?.[0], "200", email]);
    expect(done[2]).toEqual([done[2]?.[0], "200", email]);
    expect(done[0]?.[2]).toMatch(/^owner-/);
  });
});

describe("an invitation", () => {
  test("is shown once, works once, and signs the person in with their role", async () => {
    const owner = await quicklySignedIn(service, await newClinic());
    const { visitor, token } = await invited(owner, "staff");
    expect((await visitor.get("/dashboard/keys")).status).toBe(403);
    const again = visitorOf(service);
    const used = await again.submit("/dashboard/set-password", {
      token,
      password,
      again: password,
    });
    expect(used.status).toBe(410);
    expect((await owner.get("/dashboard/staff")).body).not.toContain(token);
  });

  test("of an owner gives access to all pages", async () => {
    const { visitor } = await invited(await quicklySignedIn(service, await newClinic()), "owner");
    expect((await visitor.get("/dashboard/keys")).status).toBe(200);
  });

  test("is replaced by a newer one", async () => {
    const owner = await quicklySignedIn(service, await newClinic());
    const email = `staff-${crypto.randomUUID()}@clinic.example`;
    const first = linkOn((await owner.submit("/dashboard/staff", { email, role: "staff" })).body);
    const { body } = await owner.get("/dashboard/staff");
    const [, path = ""] = /action="(\/dashboard\/staff\/\w+\/link)"/.exec(body) ?? [];
    const second = linkOn((await owner.submit(path)).body);
    const open = (link: URL) => visitorOf(service).get(link.pathname + link.search);
    expect((await open(first)).status).toBe(410);
    expect((await open(second)).status).toBe(200);
  });

  test.each([
    [{ email: "nobody", role: "staff" }, "Enter an e-mail address"],
    [{ email: "a@clinic.example", role: "king" }, "Choose staff or owner"],
  ])("with an error is shown again (%j)", async (fields, message) => {
    const owner = await quicklySignedIn(service, await newClinic());
    const answer = await owner.submit("/dashboard/staff", fields);
    expect([answer.status, textOf(answer.body).includes(message)]).toEqual([422, true]);
  });

  test("of an address that has an account is refused", async () => {
    const clinic = await newClinic();
    const owner = await quicklySignedIn(service, clinic, "taken@clinic.example");
    const answer = await owner.submit("/dashboard/staff", {
      email: "Taken@clinic.example",
      role: "staff",
    });
    expect(answer.status).toBe(422);
    expect(textOf(answer.body)).toContain("has an account already");
  });

  test("tells nothing of an account or an invitation in another business, and neither blocks it", async () => {
    const [one, other] = [await newClinic(), await newClinic()];
    const [owner, otherOwner] = [
      await quicklySignedIn(service, one),
      await quicklySignedIn(service, other),
    ];
    const { email } = await invited(otherOwner, "staff");
    const unused = `unused-${crypto.randomUUID()}@clinic.example`;
    await otherOwner.submit("/dashboard/staff", { email: unused, role: "staff" });
    const fresh = `fresh-${crypto.randomUUID()}@clinic.example`;
    const shown = [];
    for (const address of [email, unused, fresh]) {
      const answer = await owner.submit("/dashboard/staff", { email: address, role: "staff" });
      const link = linkOn(answer.body);
      const page = await visitorOf(service).get(link.pathname + link.search);
      const set = await visitorOf(service).submit(link.pathname, {
        token: link.searchParams.get("token") ?? "",
        password: "another password of hers",
        again: "another password of hers",
      });
      const [first, second] = [answer, page].map(({ status, body }) => [
        status,
        textOf(body)
          .replaceAll(address, "EMAIL")
          .replace(/token=\S+/g, "token"),
      ]);
      shown.push([first, second, set.status]);
    }
    expect(shown[0]).toEqual(shown[2]);
    expect(shown[1]).toEqual(shown[2]);
    expect(shown[2]?.[2]).toBe(303);
  });
});

describe("a removed account", () => {
  test("is signed out at once, and cannot sign in", async () => {
    const owner = await quicklySignedIn(service, await newClinic());
    const { visitor, email, token: linkToken } = await invited(owner, "staff");
    const { body } = await owner.get("/dashboard/staff");
    const [, path = ""] = /href="(\/dashboard\/staff\/\w+\/remove)"/.exec(body) ?? [];
    expect((await owner.submit(path)).status).toBe(303);
    expect((await visitor.get("/dashboard")).location).toContain("/dashboard/sign-in");
    expect((await signIn(visitorOf(service), { email, linkToken })).status).toBe(422);
  });

  test("cannot be the owner's own account, or an account of another business", async () => {
    const clinic = await newClinic();
    const owner = await quicklySignedIn(service, clinic);
    const [own] = (await service.store?.accounts.list(clinic.id)) ?? [];
    for (const act of ["remove", "link"]) {
      expect((await owner.submit(`/dashboard/staff/${own?.id}/${act}`)).status).toBe(409);
    }
    const other = await quicklySignedIn(service, await newClinic());
    for (const act of ["remove", "link"]) {
      expect((await other.submit(`/dashboard/staff/${own?.id}/${act}`)).status).toBe(404);
    }
    expect(await service.store?.accounts.list(clinic.id)).toHaveLength(1);
  });

  test("is never the last owner, even if two owners remove each other at once", async () => {
    const clinic = await newClinic();
    const owners = [await quicklySignedIn(service, clinic), await quicklySignedIn(service, clinic)];
    const paths = await Promise.all(
      owners.map(async (owner) => {
        const { body } = await owner.get("/dashboard/staff");
        return /href="(\/dashboard\/staff\/\w+\/remove)"/.exec(body)?.[1] ?? "";
      }),
    );
    await Promise.all(owners.map((owner, at) => owner.submit(paths[at] ?? "")));
    expect(await service.store?.accounts.list(clinic.id)).toHaveLength(1);
  });

  test("of an owner with a password gets no link from another owner", async () => {
    const clinic = await newClinic();
    const [one] = [await quicklySignedIn(service, clinic), await quicklySignedIn(service, clinic)];
    const { body } = await one.get("/dashboard/staff");
    const [, id = ""] = /href="\/dashboard\/staff\/(\w+)\/remove"/.exec(body) ?? [];
    expect(body).not.toContain(`/staff/${id}/link`);
    expect((await one.submit(`/dashboard/staff/${id}/link`)).status).toBe(409);
  });
});
