import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import { textOf } from "./support/html.js";
import { ownedClinic } from "./support/visitor.js";

test("a page that fails gives its request id, and when the error page fails too, the service responds", async () => {
  let name: unknown = "Clinic";
  const service = await testService({
    interpose: ({ sessions }) => ({
      services: { list: () => Promise.reject(new Error("the store")) },
      sessions: {
        async get(id) {
          const found = await sessions.get(id);
          return found && { ...found, business: { ...found.business, name: name as string } };
        },
      },
    }),
  });
  const { visitor } = await ownedClinic(service);
  const { status, headers, body } = await visitor.get("/dashboard/services");
  expect(status).toBe(500);
  expect(textOf(body)).toContain(`to the operator: ${headers.get("X-Request-Id")}`);
  name = Object.create(null); // no page can show it
  const last = await visitor.get("/dashboard/services");
  expect([last.status, JSON.parse(last.body).error.code]).toEqual([500, "internal_error"]);
});
