import { describe, expect, test } from "vitest";
import { sections } from "../../server/src/dashboard/sections.js";
import { maxAccounts } from "../../server/src/operations/accounts.js";
import { account } from "../store/support/records.js";
import { testService } from "../support/service.js";
import { fieldIn, textOf } from "./support/html.js";
import {
  busyDesk,
  setPassword,
  signedInStaff,
  signedInVisitor,
  signIn,
  type Visitor,
  visitorOf,
} from "./support/visitor.js";

const service = await testService();

const newOwner = async () => (await busyDesk(service)).visitor;
const newEmail = (who: string) => `${who}-${crypto.randomUUID()}@clinic.example`;

/** The link that a page shows. */
function linkOn(body: string): URL {
  return new URL(/id="the-link"[^>]*>([^<]+)</.exec(body)?.[1] ?? "");
}

const tokenOf = (link: URL) => link.searchParams.get("token") ?? "";
const openLink = (link: URL) => visitorOf(service).get(link.pathname + link.search);

/** The path of an action on the first account that the page of the accounts offers it for. */
async function pathOf(owner: Visitor, action: string): Promise<string> {
  const { body } = await owner.get("/dashboard/staff");
  return new RegExp(`"(/dashboard/staff/\\w+/${action})"`).exec(body)?.[1] ?? "";
}

/** Invites a person from the dashboard. The person sets a password with the link and is signed in. */
async function invited(owner: Visitor, role: "staff" | "owner") {
  const email = newEmail(role);
  const answer = await owner.submit("/dashboard/staff", { email, role });
  expect(answer.status).toBe(201);
  const visitor = visitorOf(service);
  const token = tokenOf(linkOn(answer.body));
  expect((await setPassword(visitor, token)).status).toBe(303);
  await visitor.get("/dashboard/account");
  return { visitor, email, linkToken: token };
}

describe("staff", async () => {
  const { clinic } = await busyDesk(service);
  const staff = await signedInStaff(service, clinic);

  test("can open the board, appointments, statistics and their own account, and no other page", () => {
    const seen = sections.filter(({ forStaff }) => forStaff).map(({ title }) => title);
    expect(seen).toEqual(["Board", "Appointments", "Statistics", "Account"]);
  });

  test.each(["", "/appointments", "/statistics", "/account"])(
    "have no links to other pages on %j",
    async (page) => {
      const { body } = await staff.get(`/dashboard${page}`);
      expect(body).not.toMatch(/href="\/dashboard\/(keys|audit|staff|services|queues|settings)/);
    },
  );
});

describe("an invitation", () => {
  test("is shown once, works once, and signs the person in with their role", async () => {
    const owner = await newOwner();
    for (const [role, status] of [
      ["staff", 403],
      ["owner", 200],
    ] as const) {
      const { visitor, linkToken } = await invited(owner, role);
      expect((await visitor.get("/dashboard/keys")).status).toBe(status);
      expect((await setPassword(visitorOf(service), linkToken)).status).toBe(410);
      expect((await owner.get("/dashboard/staff")).body).not.toContain(linkToken);
    }
  });

  test("gives a role that an owner can change, from the next request on", async () => {
    const owner = await newOwner();
    const { visitor, email } = await invited(owner, "staff");
    const makeOwner = await pathOf(owner, "owner");
    const { body } = await owner.submitAndFollow(makeOwner);
    expect(textOf(body)).toContain(`${email} is an owner now.`);
    expect((await visitor.get("/dashboard/keys")).status).toBe(200);
    await owner.submit(await pathOf(owner, "staff"));
    expect((await visitor.get("/dashboard/keys")).status).toBe(403);
  });

  test("is replaced by a newer one, but not by the same form again", async () => {
    const owner = await newOwner();
    const fields = { email: newEmail("staff"), role: "staff" };
    const first = linkOn((await owner.submit("/dashboard/staff", fields)).body);
    const { body } = await owner.get("/dashboard/staff");
    const replaces = fieldIn(body, "replaces");
    const path = await pathOf(owner, "link");
    const second = linkOn((await owner.submit(path, { replaces })).body);
    expect((await openLink(first)).status).toBe(410);
    expect((await openLink(second)).status).toBe(200);
    const again = await owner.submitAndFollow(path, { replaces });
    const said = "The link of this account has changed since that page was opened";
    expect(textOf(again.body)).toContain(said);
    expect((await openLink(second)).status).toBe(200);
  });

  test("is refused with a message if the business has the maximum number of accounts", async () => {
    const { clinic, visitor } = await busyDesk(service);
    for (let n = 1; n < maxAccounts; n++) {
      const staff = account(`n${n}`, { businessId: clinic.id, email: newEmail("staff") });
      await service.store.accounts.add(clinic.id, staff);
    }
    const fields = { email: newEmail("staff"), role: "staff" };
    const { status, body } = await visitor.submit("/dashboard/staff", fields);
    expect(status).toBe(422);
    expect(textOf(body)).toContain("has 200 accounts, which is the maximum");
  });

  test("tells nothing of an account or an invitation in another business, and neither blocks it", async () => {
    const [owner, otherOwner] = [await newOwner(), await newOwner()];
    const { email } = await invited(otherOwner, "staff");
    const unused = newEmail("unused");
    await otherOwner.submit("/dashboard/staff", { email: unused, role: "staff" });
    const [ofAccount, ofInvitation, ofNobody] = await Promise.all(
      [email, unused, newEmail("fresh")].map(async (address) => {
        const answer = await owner.submit("/dashboard/staff", { email: address, role: "staff" });
        const link = linkOn(answer.body);
        const page = await openLink(link);
        const set = await setPassword(visitorOf(service), tokenOf(link));
        const shown = [answer, page].map(({ status, body }) => `${status} ${textOf(body)}`).join();
        return [shown.replaceAll(address, "EMAIL").replaceAll(tokenOf(link), "TOKEN"), set.status];
      }),
    );
    expect(ofNobody?.[1]).toBe(303);
    expect(ofAccount).toEqual(ofNobody);
    expect(ofInvitation).toEqual(ofNobody);
  });
});

describe("a removed account", () => {
  test("is signed out at once, and cannot sign in", async () => {
    const owner = await newOwner();
    const { visitor, ...account } = await invited(owner, "staff");
    expect((await owner.submit(await pathOf(owner, "remove"))).status).toBe(303);
    expect((await visitor.get("/dashboard")).location).toContain("/dashboard/sign-in");
    expect((await signIn(visitorOf(service), account)).status).toBe(422);
  });

  test.each(["remove", "link", "staff"])("is not the owner's own (%s)", async (act) => {
    const { clinic, visitor: owner } = await busyDesk(service);
    const [own] = await service.store.accounts.list(clinic.id);
    expect((await owner.submit(`/dashboard/staff/${own?.id}/${act}`)).status).toBe(409);
    expect(await service.store.accounts.list(clinic.id)).toEqual([own]);
  });

  test("of an owner with a password gets no link from another owner", async () => {
    const { clinic, visitor } = await busyDesk(service);
    await signedInVisitor(service, clinic);
    const link = (await pathOf(visitor, "remove")).replace("/remove", "/link");
    expect(await pathOf(visitor, "link")).toBe("");
    expect((await visitor.submit(link)).status).toBe(409);
  });
});
