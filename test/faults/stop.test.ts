import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { clinicWithIds } from "../support/endpoints.js";
import { expectStatus } from "../support/expect.js";
import { serveClinic } from "../support/process.js";
import { RawConnection, rawRequest } from "../support/raw.js";

const body = JSON.stringify(customer1);
const patient = { settings: { SHUTDOWN_SECONDS: "3600" } };

/** A creation that the server has admitted and whose body has not arrived. */
async function underWay(clinic: Clinic) {
  const connection = await RawConnection.open(clinic.client().target);
  connection.send(
    rawRequest(`POST /v1/queues/${clinic.queue()}/entries HTTP/1.1`, [
      "Host: queue.example",
      `Authorization: Bearer ${clinic.key()}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Expect: 100-continue",
    ]),
  );
  expect(await connection.interim()).toBe(100);
  return connection;
}

describe.concurrent("stopping", () => {
  test.for(["SIGTERM", "SIGINT"] as const)(
    "completes pending requests on %s, refuses new ones, and exits 0",
    async (signal, { expect, onTestFinished }) => {
      const { server, clinic } = await serveClinic(onTestFinished, clinicWithIds);
      const connection = await underWay(clinic);
      server.signal(signal);
      await expect.poll(() => RawConnection.refusal(clinic.client().target)).toBe("ECONNREFUSED");
      connection.send(body);
      const answer = await connection.answer("POST", `/v1/queues/${clinic.queue()}/entries`);
      expectStatus(answer, 201);
      expect(answer.header("Connection")).toBe("close");
      expect(await connection.ended()).toBe("");
      expect(await server.exited).toEqual({ code: 0, signal: null });
    },
  );

  test.for(["after a request", "without any request"])(
    "does not wait for an idle connection %s",
    async (how, { expect, onTestFinished }) => {
      const { server, clinic } = await serveClinic(onTestFinished, clinicWithIds, patient);
      const idle = await RawConnection.open(clinic.client().target);
      if (how === "after a request") {
        idle.send(rawRequest("GET /v1 HTTP/1.1", ["Host: queue.example"]));
        expectStatus(await idle.answer("GET", "/v1"), 200);
      }
      server.signal("SIGTERM");
      expect(await idle.ended()).toBe("");
      expect(await server.exited).toEqual({ code: 0, signal: null });
    },
  );

  test("cuts requests that exceed the limit", async ({ expect, onTestFinished }) => {
    const { server, clinic } = await serveClinic(onTestFinished, clinicWithIds, {
      settings: { SHUTDOWN_SECONDS: "0" },
    });
    const connection = await underWay(clinic);
    server.signal("SIGTERM");
    expect(await connection.ended()).toBe("");
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test("ends at once on a second signal", async ({ expect, onTestFinished }) => {
    const { server, clinic } = await serveClinic(onTestFinished, clinicWithIds, patient);
    const connection = await underWay(clinic);
    server.signal("SIGTERM");
    await expect.poll(() => RawConnection.refusal(clinic.client().target)).toBe("ECONNREFUSED");
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(await connection.ended()).toBe("");
  });

  test("stores the audit rows of the last reads", async ({ expect, onTestFinished }) => {
    const { server, clinic, owner } = await serveClinic(onTestFinished, clinicWithIds);
    const answers = await Promise.all(Array.from({ length: 20 }, () => clinic.client().me()));
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const rows = await owner.audit(clinic.slug, 100);
    expect(rows.map(({ requestId }) => requestId).sort()).toEqual(
      answers.map(({ requestId }) => requestId).sort(),
    );
  });
});
