import { setBusiness } from "@queue-api/server";
import { describe, expect, it } from "vitest";
import { serveExample, startClinic } from "./example.js";

describe("express-integration", async () => {
  const { clinic, store, env } = await startClinic({
    queues: [
      { ref: "front", name: "Front desk" },
      { ref: "closed", name: "Vaccination", isActive: false },
      { ref: "paused", name: "Laboratory", isTokenCreationPaused: true },
    ],
  });
  const url = await serveExample("express-integration/server.js", env);

  const ask = async (method: string, path: string, body?: unknown, visit?: string) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(visit !== undefined && { "Visit-Id": visit }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { answer, json: text ? JSON.parse(text) : null };
  };
  const tickets = (line: string) => `/lines/${clinic.queue(line)}/tickets`;
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

  it.each([
    ["a wrong field", 400, () => ask("POST", tickets("front"), { ...customer, phone: "12" })],
    ["an unknown line", 404, () => ask("POST", `/lines/${"a".repeat(24)}/tickets`, customer)],
    ["a paused line", 409, () => ask("POST", tickets("paused"), customer)],
    ["a closed line", 409, () => ask("POST", tickets("closed"), customer)],
  ])("responds to %s with its own problem document", async (_name, status, asked) => {
    const { answer, json } = await asked();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("Content-Type")).toContain("application/problem+json");
    expect(json).toMatchObject({ status, title: expect.any(String) });
    if (status === 400) expect(json.errors).toMatchObject([{ field: "phone" }]);
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
});
