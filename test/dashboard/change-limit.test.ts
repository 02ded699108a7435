import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import { cardOf, lineOf, walkInForm } from "./support/board.js";
import { linkTo, textOf } from "./support/html.js";
import { busyDesk, quicklySignedIn } from "./support/quick-sign-in.js";
import { changePassword, password, type Visitor } from "./support/visitor.js";

const service = await testService();

/** Sends this number of cheap changes, and returns their responses. */
async function changes(visitor: Visitor, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    statuses.push((await visitor.submit("/dashboard/board/counter", { counter: "" })).status);
  }
  return statuses;
}

test("a session can make 300 changes in a minute, the next is refused with its values kept but for passwords, and other sessions are not limited", async () => {
  const { clinic, visitor } = await busyDesk(service);
  const form = walkInForm(cardOf((await visitor.get("/dashboard")).body, clinic.queue("lab")));
  expect(new Set(await changes(visitor, 300))).toEqual(new Set([303]));

  const fields = { ...form, name: `Anna "quoted" <b>`, phone: "+91 98000 00077" };
  const refused = await visitor.submit("/dashboard/board/walk-in", fields);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("Retry-After")).toBe("60");
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
  service.clock.advance({ seconds: 59 });
  expect(await changes(visitor, 1)).toEqual([429]);
  service.clock.advance({ seconds: 1 });
  expect(await changes(visitor, 1)).toEqual([303]);
  expect((await visitor.submit("/dashboard/sign-out")).status).toBe(303);
});
