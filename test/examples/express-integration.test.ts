import { setBusiness } from "@queue-api/server";
import { describe, expect, it } from "vitest";
import { serveExample, startClinic } from "./example.js";
import { startGateway } from "./gateway.js";

describe("express-integration", async () => {
  const { clinic, store, env } = await startClinic({
    queues: [
      { ref: "front", name: "Front desk" },
      { ref: "closed", name: "Vaccination", isActive: false },
      { ref: "paused", name: "Laboratory", isTokenCreationPaused: true },
    ],
  });
  const { url } = await serveExample("express-integration/server.js", env);

  const ask = async (method: string, path: string, body?: unknown, visit?: string, at = url) => {
    const headers = {
      "Content-Type": "application/json",
      ...(visit !== undefined && { "Visit-Id": visit }),
    };
    const answer = await fetch(at + path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    return { answer, json: text ? JSON.parse(text) : null };
  };
  const tickets = (line: string) => `/lines/${clinic.queue(line)}/tickets`;
  const other = { name: "Customer 2", phone: "919800000002" };
  const customer = { name: "Customer 1", phone: "919800000001" };

  it("returns lines and tickets, in the terms of the application", async () => {
    const lines = await ask("GET", "/lines");
    expect(lines.json).toEqual([
      { id: clinic.queue("front"), name: "Front desk" },
      { id: clinic.queue("paused"), name: "Laboratory" },
    ]);
    const taken = await ask("POST", tickets("front"), customer, "visit-0001");
    expect([taken.answer.status, taken.json]).toEqual([
      201,
      { label: "A1", state: "waiting", ahead: 0 },
    ]);
    const again = await ask("POST", tickets("front"), customer, "visit-0001");
    expect(again.json).toEqual(taken.json);
    const where = taken.answer.headers.get("Location") ?? "";
    expect((await ask("GET", where)).json).toEqual(taken.json);
    expect((await ask("DELETE", where)).answer.status).toBe(204);
    expect((await ask("GET", where)).json).toEqual({ label: "A1", state: "canceled", ahead: null });
  });

  it("accepts any text as the number of a visit", async () => {
    const taken = await ask("POST", tickets("front"), customer, "v1");
    expect(taken.answer.status).toBe(201);
    expect((await ask("POST", tickets("front"), customer, "v1")).json).toEqual(taken.json);
    expect((await ask("POST", tickets("front"), customer, "")).answer.status).toBe(201);
  });

  it.each([
    ["a visit of somebody else", 422, () => ask("POST", tickets("front"), other, "visit-0001")],
    ["a malformed path", 400, () => ask("GET", "/tickets/%zz")],
    ["a body that is too large", 413, () => ask("POST", tickets("front"), "x".repeat(5_000))],
    ["a wrong field", 400, () => ask("POST", tickets("front"), { ...customer, phone: "12" })],
    ["an unknown line", 404, () => ask("POST", `/lines/${"a".repeat(24)}/tickets`, customer)],
    ["a paused line", 409, () => ask("POST", tickets("paused"), customer)],
    ["a closed line", 409, () => ask("POST", tickets("closed"), customer)],
  ])("responds to %s with its own problem document", async (name, status, asked) => {
    const { answer, json } = await asked();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("Content-Type")).toContain("application/problem+json");
    expect(json).toMatchObject({ status, title: expect.any(String) });
    if (name === "a wrong field") expect(json.errors).toMatchObject([{ field: "phone" }]);
    expect(JSON.stringify(json)).not.toMatch(/svc_live|queue_|919800/);
  });

  it("hides errors of the configuration from the caller, except for the request id", async () => {
    await setBusiness(store, clinic.slug, { apiAccess: false });
    const { answer, json } = await ask("GET", "/lines");
    await setBusiness(store, clinic.slug, { apiAccess: true });
    expect([answer.status, json]).toEqual([
      502,
      { status: 502, title: "The line is not set up rightly", requestId: expect.any(String) },
    ]);
  });

  it("responds to a body that is not JSON without its text, and keeps it out of the log", async () => {
    const { url, started } = await serveExample("express-integration/server.js", env);
    const headers = { "Content-Type": "application/json" };
    const body = '{"name":"Customer 2",';
    const answer = await fetch(url + tickets("front"), { method: "POST", headers, body });
    expect(await answer.json()).toEqual({ status: 400, title: "The request is malformed" });
    expect(started.written.stderr).toBe("");
  });

  it.each([
    ["a creation that is in progress", 409, "request_in_progress", "60"],
    ["a limit that is used up", 429, "rate_limited", "60"],
    ["a failure of the service", 500, "internal_error", "5"],
  ])("asks to come back after %s, with the request id", async (_name, status, code, retryAfter) => {
    const requestId = crypto.randomUUID();
    const error = { code, message: "Later.", requestId, docUrl: "http://127.0.0.1/docs" };
    const fault = {
      status,
      headers: { "Retry-After": "60", "Content-Type": "application/json" },
      body: JSON.stringify({ error }),
    };
    const gateway = await startGateway(env.QUEUE_API_BASE_URL ?? "", "/entries", [fault]);
    const settings = { ...env, QUEUE_API_BASE_URL: gateway.url };
    const { url } = await serveExample("express-integration/server.js", settings);
    const { answer, json } = await ask("POST", tickets("front"), customer, "visit-0002", url);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, retryAfter]);
    expect(json).toMatchObject({ status: 503, requestId });
  });
});
