import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import { cardOf, lineOf, walkInForm } from "./support/board.js";
import { linkTo } from "./support/html.js";
import { busyDesk, quicklySignedIn } from "./support/quick-sign-in.js";
import { changePassword, password, type Visitor } from "./support/visitor.js";

const service = await testService();

/** Makes a cheap change, and returns the status of its response. */
const change = async (visitor: Visitor) =>
  (await visitor.submit("/dashboard/board/counter", { counter: "" })).status;

test("a session can make 300 changes in a minute, the next is refused with its values kept but for passwords, and other sessions are not limited", async () => {
  const { clinic, visitor } = await busyDesk(service);
  const form = walkInForm(cardOf((await visitor.get("/dashboard")).body, clinic.queue("lab")));
  for (let n = 0; n < 300; n++) expect(await change(visitor)).toBe(303);

  const fields = { ...form, name: `Anna "quoted" <b>`, phone: "+91 98000 00077" };
  const refused = await visitor.submit("/dashboard/board/walk-in", fields);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("Retry-After")).toBe("60");
  expect(refused.body).toContain("There were 300 changes from this browser within a minute");
  expect(refused.body).toContain(`action="/dashboard/board/walk-in"`);
  const quoted = "Anna &quot;quoted&quot; &lt;b&gt;";
  for (const value of [quoted, "+91 98000 00077", clinic.queue("lab")])
    expect(refused.body).toContain(`value="${value}"`);

  const secret = await changePassword(visitor);
  expect([secret.status, secret.body.includes(password)]).toEqual([429, false]);
  expect(linkTo(secret.body, "Enter them again")).toBe("/dashboard/account");

  const { body } = await visitor.get("/dashboard");
  expect(lineOf(cardOf(body, clinic.queue("lab")))).toEqual([]);
  expect(await change(await quicklySignedIn(service, clinic))).toBe(303);
  service.clock.advance({ seconds: 59 });
  expect(await change(visitor)).toBe(429);
  service.clock.advance({ seconds: 1 });
  expect(await change(visitor)).toBe(303);
});
