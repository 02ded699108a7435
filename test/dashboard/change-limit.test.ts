import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import { cardOf, lineOf, walkInForm } from "./support/board.js";
import { textOf } from "./support/html.js";
import { busyDesk, signedInVisitor, type Visitor } from "./support/visitor.js";

const service = await testService();

/** Makes a cheap change, and returns the status of its response. */
const change = async (visitor: Visitor) =>
  (await visitor.submit("/dashboard/board/counter", { counter: "" })).status;

test("a session can make 300 changes in a minute, the next is refused, and other sessions are not limited", async () => {
  const { clinic, visitor } = await busyDesk(service);
  const form = walkInForm(cardOf((await visitor.get("/dashboard")).body, clinic.queue("lab")));
  for (let n = 0; n < 300; n++) expect(await change(visitor)).toBe(303);

  const refused = await visitor.submit("/dashboard/board/walk-in", { ...form, name: "Anna" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("Retry-After")).toBe("60");
  expect(textOf(refused.body)).toContain(
    "There were 300 changes from this browser within a minute, so this one was not made. Wait 60 seconds, then go back and repeat it.",
  );
  const board = await visitor.get("/dashboard");
  expect(board.status).toBe(200);
  expect(lineOf(cardOf(board.body, clinic.queue("lab")))).toEqual([]);
  expect(await change(await signedInVisitor(service, clinic))).toBe(303);
  service.clock.advance({ seconds: 59 });
  expect(await change(visitor)).toBe(429);
  service.clock.advance({ seconds: 1 });
  expect(await change(visitor)).toBe(303);
});
