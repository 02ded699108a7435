import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolve, valuesOf } from "../support/arbitrary.js";
import type { Client } from "../support/client.js";
import { clinicWithIds } from "../support/endpoints.js";
import { everyScope, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

type Json = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Json;
  readonly required?: boolean;
}

interface GeneratedRequest {
  readonly path: string;
  readonly query: [string, string][];
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly key: "good" | "narrow" | "unknown" | "none";
}

const service = await testService();
const document = (await service.stranger().get("/v1/openapi.json")).json as Json;
const runs = 120;

/** Each run sends the same requests. `FUZZ_SEED` selects others. */
const seed = Number(process.env.FUZZ_SEED ?? 1);

const clinic = await service.clinic({
  ...clinicWithIds,
  keys: [wideKey, { ...wideKey, ref: "narrow", scopes: everyScope.slice(0, 1) }],
});
const other = await service.clinic(clinicWithIds);
const ids = [clinic, other].flatMap((clinic) => [
  clinic.queue(),
  clinic.entry("first"),
  clinic.appointment("checkup"),
  clinic.service(),
]);

const operations = Object.entries(document.paths as Record<string, Json>).flatMap(
  ([template, item]) =>
    Object.entries(item)
      .filter(([method]) => method === "get" || method === "post")
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        template,
        operation: operation as Json,
        parameters: [...listed(item.parameters), ...listed((operation as Json).parameters)],
      })),
);

function listed(parameters: unknown): Parameter[] {
  return ((parameters ?? []) as Json[]).map(
    (parameter) =>
      (typeof parameter.$ref === "string"
        ? resolve(parameter.$ref, document)
        : parameter) as unknown as Parameter,
  );
}

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom("", "0", "-1", "null", "NaN", "..", "%", "__proto__") },
  { weight: 1, arbitrary: fc.string({ minLength: 200, maxLength: 2000 }) },
);

/** The characters that a header can contain. */
const headerText = anyText.map((text) => text.replaceAll(/[^\x20-\x7e]/g, "").trim());

/** Mostly values that the schema accepts, otherwise any value. */
function mostly(schema: Json, anything: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: valuesOf(schema, document).map(String) },
    { weight: 1, arbitrary: anything },
  );
}

const anyBody = fc.oneof(
  fc.json({ maxDepth: 5 }),
  anyText,
  fc.constant("{}"),
  fc
    .record({ name: fc.anything(), phone: fc.anything() })
    .map((body) => JSON.stringify(body) ?? ""),
);

/** A body that a creation accepts. The schema does not know which services exist. */
const goodBody = fc
  .record(
    {
      name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
      phone: fc.stringMatching(/^\+?[0-9]{8,19}$/),
      serviceId: fc.constantFrom(clinic.service(), other.service()),
    },
    { requiredKeys: ["name", "phone"] },
  )
  .map((body) => JSON.stringify(body));

function requestsOf({ template, operation, parameters }: (typeof operations)[number]) {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const inHeader = parameters.filter((parameter) => parameter.in === "header");
  const content = (operation.requestBody as Json | undefined)?.content as
    | Record<string, Json>
    | undefined;
  const schema = content?.["application/json"]?.schema as Json | undefined;

  const path = fc
    .tuple(
      ...inPath.map(({ schema }) =>
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...ids) },
          { weight: 2, arbitrary: mostly(schema, anyText) },
        ),
      ),
    )
    .map((values) =>
      inPath.reduce(
        (path, { name }, i) => path.replace(`{${name}}`, encodeURIComponent(values[i] ?? "")),
        template,
      ),
    );
  const query = fc
    .tuple(
      fc.record(
        Object.fromEntries(inQuery.map(({ name, schema }) => [name, mostly(schema, anyText)])),
        { requiredKeys: [] },
      ),
      fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(fc.tuple(anyText, anyText), { maxLength: 2 }) },
      ),
    )
    .map(([known, unknown]) => [...Object.entries(known), ...unknown] as [string, string][]);
  const headers = fc
    .tuple(
      fc.record(
        Object.fromEntries(inHeader.map(({ name, schema }) => [name, mostly(schema, headerText)])),
        { requiredKeys: [] },
      ),
      fc.oneof(
        { weight: 8, arbitrary: fc.constant({ "Content-Type": "application/json" }) },
        { weight: 1, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: headerText.map((type) => ({ "Content-Type": type })) },
      ),
    )
    .map(([known, type]) => ({ ...known, ...type }));
  const body = schema
    ? fc.oneof(
        { weight: 4, arbitrary: goodBody },
        { weight: 2, arbitrary: valuesOf(schema, document).map((value) => JSON.stringify(value)) },
        { weight: 2, arbitrary: anyBody },
        { weight: 1, arbitrary: fc.constant(null) },
      )
    : fc.constant(null);
  const key = fc.oneof(
    { weight: 12, arbitrary: fc.constant("good" as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("narrow" as const, "unknown" as const, "none" as const),
    },
  );
  return fc.record<GeneratedRequest>({ path, query, headers, body, key });
}

function callerOf(key: GeneratedRequest["key"]): Client {
  const { address } = service.stranger();
  switch (key) {
    case "good":
      return clinic.client().from(address);
    case "narrow":
      return clinic.client("narrow").from(address);
    case "unknown":
      return clinic
        .stranger()
        .with(`svc_live_${"a".repeat(24)}_${"b".repeat(43)}`)
        .from(address);
    case "none":
      return clinic.stranger().from(address);
  }
}

describe("generated requests get only documented responses", () => {
  const seen = new Map<number, number>();

  test.each(
    operations.map(
      (operation) => [`${operation.method} ${operation.template}`, operation] as const,
    ),
  )("%s", async (_, operation) => {
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async ({ path, query, headers, body, key }) => {
        const search = new URLSearchParams(query).toString();
        // The client throws on an undeclared status, and on a body or header outside its schema.
        const answer = await callerOf(key).send(
          operation.method,
          search === "" ? path : `${path}?${search}`,
          { headers, ...(body !== null && { body }) },
        );
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: runs, seed },
    );
  });

  test("the requests reach successes and errors of every kind", () => {
    const statuses = [...seen.keys()].sort((a, b) => a - b);
    expect(statuses).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 415]));
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBe(runs * operations.length);
  });
});
