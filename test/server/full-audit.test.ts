import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createLogger } from "@queue-api/server";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { admission } from "../../server/src/http/admission.js";
import type { AuditTrail } from "../../server/src/http/audit.js";
import { requestContext } from "../../server/src/http/context.js";
import { errorResponses } from "../../server/src/http/errors.js";
import type { Store } from "../../server/src/operations/store.js";

test("while the audit queue is full, requests with a key get 500 with Retry-After", async () => {
  const silent = createLogger({ level: "silent", pretty: false });
  const app = express();
  app.use(requestContext(randomBytes));
  app.use(admission({} as Store, { isFull: true } as AuditTrail));
  app.use(errorResponses(() => "https://docs.example", silent));
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/me`);
  expect(answer.status).toBe(500);
  expect(answer.headers.get("Retry-After")).toBe("1");
  expect(await answer.json()).toMatchObject({ error: { code: "internal_error" } });
});
