import fc from "fast-check";
import { expect, test } from "vitest";
import { clinicWithIds } from "../support/endpoints.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const clinic = await service.clinic({ ...clinicWithIds, keys: [wideKey] });
const ids = [clinic.queue(), clinic.entry("first"), clinic.appointment("checkup")];

/** Each run sends the same requests. `FUZZ_SEED` selects others. */
const seed = Number(process.env.FUZZ_SEED ?? 1);

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom("", "0", "-1", "null", "NaN", "..", "%", "__proto__") },
  { weight: 1, arbitrary: fc.string({ minLength: 200, maxLength: 2000 }) },
);

/** The characters that a header can contain. */
const headerText = anyText.map((text) => text.replaceAll(/[^\x20-\x7e]/g, "").trim());

const segment = fc.oneof(fc.constantFrom(...ids), anyText.map(encodeURIComponent));
const path = fc.oneof(
  fc.constantFrom("/v1", "/v1/me", "/v1/services", "/v1/queues", "/v1/appointments"),
  segment.map((id) => `/v1/queues/${id}`),
  segment.map((id) => `/v1/queues/${id}/entries`),
  segment.map((id) => `/v1/entries/${id}`),
  segment.map((id) => `/v1/entries/${id}/cancel`),
  segment.map((id) => `/v1/appointments/${id}`),
);
const parameter = fc.oneof(fc.constantFrom("date", "status", "limit", "cursor"), anyText);
const request = fc.record({
  method: fc.constantFrom("GET", "POST"),
  path,
  query: fc.array(fc.tuple(parameter, anyText), { maxLength: 2 }),
  headers: fc.record(
    {
      "Idempotency-Key": headerText,
      "Content-Type": fc.oneof(fc.constant("application/json"), headerText),
    },
    { requiredKeys: [] },
  ),
  body: fc.oneof(
    anyText,
    fc.json({ maxDepth: 5 }),
    fc
      .record({ name: fc.anything(), phone: fc.anything() })
      .map((body) => JSON.stringify(body) ?? ""),
  ),
});

test("generated requests get only documented responses", async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers, body }) => {
      const search = new URLSearchParams(query).toString();
      // The client throws on an undeclared status, and on a body or header outside its schema.
      const answer = await clinic
        .client()
        .send(method, search === "" ? path : `${path}?${search}`, {
          headers,
          ...(method === "POST" && { body }),
        });
      seen.add(answer.status);
      expect(answer.status).toBeLessThan(500);
    }),
    { numRuns: 1_000, seed },
  );
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404, 415]));
});
