import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { clinicWithIds } from "../support/endpoints.js";
import { serveClinic } from "../support/process.js";
import { RawConnection, rawRequest } from "../support/raw.js";

test("the log at its most verbose level has every request id, and no key, body or phone number", async ({
  onTestFinished,
}) => {
  const settings = { LOG_LEVEL: "trace" };
  const { server, clinic } = await serveClinic(onTestFinished, clinicWithIds, { settings });
  const client = clinic.client();
  const secret = clinic.key().split("_")[3] ?? "";
  const person = { name: "Quentin Marker", phone: "+91 97777 66666" };
  const entries = `/v1/queues/${clinic.queue()}/entries`;
  const json = { "Content-Type": "application/json" };

  const answers = [
    await client.create(clinic.queue(), person, "marker-idempotency"),
    await client.create(clinic.queue(), { ...person, phone: "97777 6" }),
    await client.create(clinic.queue(), { ...person, note: "marker-note" }),
    await client.post(entries, { headers: json, body: '{"name":"Quentin Marker' }),
    await client.post(entries, { headers: { "Content-Type": "text/marker" }, body: "marker" }),
    await client.post(entries, {
      headers: { ...json, "Content-Encoding": "gzip" },
      body: Uint8Array.from(gzipSync(JSON.stringify(person)).subarray(0, 40)),
    }),
    await client.get(`/v1/me?token=${clinic.key()}`),
    await client.get(`/v1/entries/${clinic.key()}`),
    await client.get("/v1/entries/919777766666"),
    await client.get("/v1/queues?phone=919777766666"),
    await client.with(`${clinic.key()}x`).me(),
    await client.entries(clinic.queue()),
    await client.appointments(),
  ];
  const broken = await RawConnection.open({ url: server.url, conformance: null });
  broken.send(
    rawRequest("GET /v1/me HTTP/1.1", [`Authorization: Bearer ${clinic.key()}`, "bad header"]),
  );
  await broken.ended();
  server.signal("SIGTERM");
  expect(await server.exited).toEqual({ code: 0, signal: null });

  const log = server.output();
  for (const { requestId } of answers) expect(log).toContain(requestId);
  const sensitive = [
    secret,
    ...["Quentin", "9777766666", "97777 6", "Customer 1", "919800000001", "marker", "Bearer"],
  ];
  for (const word of sensitive) expect(log, `the log holds ${word}`).not.toContain(word);
  for (const line of log.trim().split("\n").slice(1)) {
    expect(JSON.parse(line)).toHaveProperty("level");
  }
});
