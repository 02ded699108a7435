import type { Request, Response } from "express";
import { expect, test } from "vitest";
import { changeLimit } from "../../server/src/dashboard/accounts/change-limit.js";
import { sessionChangeLimit } from "../../server/src/rules/account-session.js";
import { testService } from "../support/service.js";
import { cardOf, lineOf, walkInForm } from "./support/board.js";
import { linkTo, textOf } from "./support/html.js";
import { busyDesk, quicklySignedIn } from "./support/quick-sign-in.js";
import { changePassword, password, type Visitor } from "./support/visitor.js";

const service = await testService();
const { limit } = sessionChangeLimit;

/** Sends this number of cheap changes, and returns their responses. */
async function changes(visitor: Visitor, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    statuses.push((await visitor.submit("/dashboard/board/counter", { counter: "" })).status);
  }
  return statuses;
}

test("a session can make 300 changes in a minute, the next is refused with its values kept but for passwords, and other sessions are not limited", async () => {
  expect(limit).toBe(300);
  const { clinic, visitor } = await busyDesk(service);
  const form = walkInForm(cardOf((await visitor.get("/dashboard")).body, clinic.queue("lab")));
  expect(new Set(await changes(visitor, limit - 1))).toEqual(new Set([303]));
  const last = await visitor.submit("/dashboard/board", { call: clinic.entry("first") });
  expect(last.status).toBe(303);

  const fields = { ...form, name: `Anna "quoted" <b>`, phone: "+91 98000 00077" };
  const refused = await visitor.submit("/dashboard/board/walk-in", fields);
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get("Retry-After"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  const reason = "There were 300 changes from this browser within a minute";
  expect(textOf(refused.body)).toContain(reason);
  expect(refused.body).toContain(`action="/dashboard/board/walk-in"`);
  const quoted = "Anna &quot;quoted&quot; &lt;b&gt;";
  for (const value of [quoted, "+91 98000 00077", clinic.queue("lab")])
    expect(refused.body).toContain(`value="${value}"`);

  const secret = await changePassword(visitor);
  expect([secret.status, secret.body.includes(password)]).toEqual([429, false]);
  expect(linkTo(secret.body, "Enter them again")).toBe("/dashboard/account");

  const board = await visitor.get("/dashboard");
  expect(board.status).toBe(200);
  expect(lineOf(cardOf(board.body, clinic.queue("lab")))).toEqual([]);
  const other = await quicklySignedIn(service, clinic);
  expect(await changes(other, 1)).toEqual([303]);
  expect(await changes(visitor, 1)).toEqual([429]);
  expect((await visitor.submit("/dashboard/sign-out")).status).toBe(303);
});

test("the next window starts a minute after the first change of the last", () => {
  let now = 0;
  let passed = 0;
  const handler = changeLimit({ send: async () => {} }, () => now);
  const signedIn = { sessionId: "one", formToken: "x" };
  const locals = { signedIn, dashboardRoot: "/dashboard" };
  const req = { method: "POST", url: "/board", body: {} } as Request;
  const res = { req, locals, setHeader: () => {} } as unknown as Response;
  for (const [at, expected] of [
    [0, limit],
    [59_999, limit],
    [60_000, 2 * limit],
  ] as const) {
    now = at;
    for (let n = 0; n < limit + 1; n++) handler(req, res, () => passed++);
    expect(passed).toBe(expected);
  }
});
