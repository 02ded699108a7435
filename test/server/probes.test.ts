import { randomBytes } from "node:crypto";
import { createLogger } from "@queue-api/server";
import express from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { StoreUnavailableError } from "../../server/dist/store/errors.js";
import { admission } from "../../server/src/http/admission.js";
import type { AuditTrail } from "../../server/src/http/audit-trail.js";
import { requestContext } from "../../server/src/http/context.js";
import { errorResponses } from "../../server/src/http/error-responses.js";
import { whenEnded } from "../../server/src/http/response-end.js";
import type { Store } from "../../server/src/operations/store.js";
import { expectStatus } from "../support/expect.js";
import { served } from "../support/served.js";
import { testService } from "../support/service.js";

const service = await testService();

afterEach(() => void vi.restoreAllMocks());

test.each(["/healthz", "/readyz"])("%s needs no key and returns 200", async (path) => {
  const answer = await service.stranger().get(path);
  expectStatus(answer, 200);
  expect(answer.json).toEqual({ status: expect.any(String) });
});

test("while the database does not respond, the service is alive and not ready", async () => {
  const error = new Error("disk I/O error at /var/lib/queue-api.db");
  vi.spyOn(service.store, "ping").mockRejectedValue(error);
  expectStatus(await service.stranger().get("/healthz"), 200);
  const ready = await fetch(`${service.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).not.toMatch(/disk|\/var/);
});

const signInWindow = () => vi.spyOn(service.store.admission, "signInWindow");

describe.each(["/v1", "/v1/openapi.json", "/healthz", "/docs"])("%s needs no database", (path) => {
  test("that is unavailable", async () => {
    signInWindow().mockRejectedValue(new StoreUnavailableError("away"));
    const answer = await fetch(service.url + path);
    expect(answer.status).toBe(200);
    if (path !== "/docs") expect(answer.headers.get("RateLimit-Remaining")).toBe("30");
  });

  test("that does not respond", async () => {
    signInWindow().mockReturnValue(new Promise(() => {}));
    expect((await fetch(service.url + path)).status).toBe(200);
  });
});

test("an error that is not of the database is not hidden", async () => {
  signInWindow().mockRejectedValue(new TypeError("a mistake"));
  expect((await fetch(`${service.url}/v1`)).status).toBe(500);
});

test("while the audit queue is full, requests with a key get 500 with Retry-After", async () => {
  const silent = createLogger({ level: "silent", pretty: false });
  const app = express();
  app.use(requestContext(randomBytes));
  app.use(admission({} as Store, { isFull: true } as AuditTrail));
  app.use(errorResponses(() => "https://docs.example", silent));
  const answer = await fetch(`${await served(app)}/v1/me`);
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([500, "1"]);
  expect(await answer.json()).toMatchObject({ error: { code: "internal_error" } });
});

test("an error after the response has begun disconnects the client, ends the request and is logged", async () => {
  const silent = createLogger({ level: "silent", pretty: false });
  const error = vi.spyOn(silent, "error");
  const ended = vi.fn();
  const app = express();
  app.use(requestContext(randomBytes));
  app.get("/", (_req, res) => {
    whenEnded(res, ended);
    res.write("{");
    throw new Error("late");
  });
  app.use(errorResponses(() => "https://docs.example", silent));
  const answer = fetch(await served(app)).then((response) => response.text());
  await expect(answer).rejects.toThrow(TypeError);
  expect(ended).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledTimes(1);
});
