import { errorCodes, errors } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import {
  addresses,
  answersOf,
  codesOf,
  document,
  type Json,
  jsonContent,
  operations,
  resolved,
} from "./document.js";

/** An endpoint of section 4, written by hand. */
interface Listed {
  readonly scope: string | null | "public";
  /** Name, place, and whether it is required, in the order of the document. */
  readonly parameters: readonly string[];
  readonly body?: "required";
  readonly answers: Readonly<Record<number, string>>;
}

const withApiKey = {
  400: "invalid_request",
  401: "unauthorized",
  403: "api_access_disabled ip_not_allowed",
  408: "request_timeout",
  429: "rate_limited too_many_failed_attempts",
  500: "internal_error",
};
const scoped = { ...withApiKey, 403: "api_access_disabled insufficient_scope ip_not_allowed" };
const byId = { ...scoped, 404: "not_found" };
const posted = {
  ...byId,
  400: "invalid_json invalid_request",
  413: "payload_too_large",
  415: "unsupported_media_type",
};
const open = { 400: "invalid_request", 408: "request_timeout", 500: "internal_error" };
const paged = ["limit query", "cursor query"];

const section4: Readonly<Record<string, Listed>> = {
  "GET /v1/me": { scope: null, parameters: [], answers: { 200: "Me", ...withApiKey } },
  "GET /v1/services": {
    scope: "queue:read",
    parameters: [],
    answers: { 200: "Service[]", ...scoped },
  },
  "GET /v1/queues": { scope: "queue:read", parameters: [], answers: { 200: "Queue[]", ...scoped } },
  "GET /v1/queues/{queueId}": {
    scope: "queue:read",
    parameters: ["queueId path required", "date query"],
    answers: { 200: "QueueSummary", ...byId },
  },
  "GET /v1/queues/{queueId}/entries": {
    scope: "queue:read",
    parameters: ["queueId path required", "status query", "date query", ...paged],
    answers: { 200: "Entry[] nextCursor", ...byId },
  },
  "POST /v1/queues/{queueId}/entries": {
    scope: "queue:write",
    parameters: ["queueId path required", "Idempotency-Key header"],
    body: "required",
    answers: {
      201: "EntryWithPosition",
      ...posted,
      403: "api_access_disabled insufficient_scope ip_not_allowed plan_limit_reached",
      409: "queue_paused queue_unavailable request_in_progress",
      422: "idempotency_key_reuse",
    },
  },
  "GET /v1/entries/{entryId}": {
    scope: "queue:read",
    parameters: ["entryId path required"],
    answers: { 200: "EntryWithPosition", ...byId },
  },
  "POST /v1/entries/{entryId}/cancel": {
    scope: "queue:write",
    parameters: ["entryId path required"],
    answers: { 200: "Entry", ...posted, 409: "invalid_state" },
  },
  "GET /v1/appointments": {
    scope: "appointments:read",
    parameters: ["date query", ...paged],
    answers: { 200: "Appointment[] nextCursor", ...scoped },
  },
  "GET /v1/appointments/{appointmentId}": {
    scope: "appointments:read",
    parameters: ["appointmentId path required"],
    answers: { 200: "Appointment", ...byId },
  },
  "GET /v1/openapi.json": {
    scope: "public",
    parameters: [],
    answers: { 200: "OpenApiDocument", ...open },
  },
  "GET /v1": { scope: "public", parameters: [], answers: { 200: "ApiIndex", ...open } },
};

/** A success in short: its schema, and whether it is a list or a page. */
function success(schema: Json): string {
  if (referred(schema) === "OpenApiDocument") return referred(schema);
  const { data, ...beside } = resolved(schema).properties as Record<string, Json>;
  const held = data?.type === "array" ? `${referred(data.items as Json)}[]` : referred(data ?? {});
  return [held, ...Object.keys(beside)].join(" ");
}

function referred({ $ref }: Json): string {
  return String($ref).replace("#/components/schemas/", "");
}

/** The codes of a refusal, in alphabetical order. */
function codes(answer: Json): string {
  expect(jsonContent(answer).schema).toEqual({ $ref: "#/components/schemas/ErrorResponse" });
  return codesOf(answer).toSorted().join(" ");
}

/** An operation of the document in the notation of section 4. */
function notationOf(operation: Json): Listed {
  const [scope = null] = (operation["x-required-scopes"] ?? []) as Listed["scope"][];
  const { requestBody } = operation as { readonly requestBody?: Json };
  const parameters = ((operation.parameters ?? []) as Json[]).map(({ name, in: place, required }) =>
    [name, place, ...(required ? ["required"] : [])].join(" "),
  );
  const answers = answersOf(operation).map(([status, answer]) => {
    return [status, status < 400 ? success(jsonContent(answer).schema as Json) : codes(answer)];
  });
  return {
    scope: "security" in operation ? "public" : scope,
    parameters,
    ...(requestBody?.required === true && { body: "required" }),
    answers: Object.fromEntries(answers),
  };
}

test("the document has exactly the operations of section 4, and no optional body", () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(section4).sort());
  const bodies = operations.filter(({ operation }) => "requestBody" in operation);
  expect(bodies.map(({ name }) => name)).toEqual(["POST /v1/queues/{queueId}/entries"]);
});

describe.each(operations)("$name", ({ name, operation }) => {
  test("has exactly its scope, parameters, body, statuses and codes", () => {
    expect(notationOf(operation)).toEqual(section4[name]);
  });

  test("describes its scope and what comes from elsewhere", () => {
    expect(operation.security ?? []).toEqual([]);
    const { 403: forbidden, default: other } = operation.responses as Json;
    expect(resolved(other)).toEqual({ description: expect.stringContaining("gateway") });
    const [scope] = (operation["x-required-scopes"] ?? []) as string[];
    if (scope === undefined) return;
    expect(operation.description).toContain(`\`${scope}\``);
    const { insufficient_scope } = jsonContent(resolved(forbidden)).examples as Json;
    expect(insufficient_scope).toMatchObject({ value: { error: { required: [scope] } } });
  });
});

test("a creation links to the operations that read and cancel the entry", () => {
  const creation = operations.find(({ operation }) => operation.operationId === "createEntry");
  const [[, created] = []] = answersOf(creation?.operation ?? {});
  const parameters = { entryId: "$response.body#/data/id" };
  expect(created?.links).toEqual({
    getEntry: expect.objectContaining({ operationId: "getEntry", parameters }),
    cancelEntry: expect.objectContaining({ operationId: "cancelEntry", parameters }),
  });
});

describe("errors", () => {
  const examples = operations
    .flatMap(({ operation }) => answersOf(operation))
    .flatMap(([, answer]) => Object.entries((jsonContent(answer).examples ?? {}) as Json))
    .map(([code, example]) => ({ code, ...(example as { readonly value: unknown }) }));

  test.each(errorCodes)(
    "%s has a message of its own and a condition, one sentence each",
    (code) => {
      expect(errors[code].message).toMatch(/^[A-Z].+\.$/);
      expect(errors[code].when).toMatch(/^[A-Z].+\.$/);
      const same = errorCodes.filter((other) => errors[other].message === errors[code].message);
      expect(same).toEqual([code]);
    },
  );

  test.each(errorCodes)("%s is shown with its message, its page and its other fields", (code) => {
    const shown = examples.filter((example) => example.code === code);
    expect(shown).not.toEqual([]);
    for (const { value } of shown) {
      const { error } = value as { error: Json };
      expect(error).toMatchObject({
        code,
        message: errors[code].message,
        docUrl: `${addresses.docsUrl}/errors#${code}`,
      });
      expect("details" in error).toBe(code === "invalid_request");
      expect("required" in error).toBe(code === "insufficient_scope");
    }
  });
});

test("headers are exactly where sections 4, 5 and 7 require them", () => {
  const common = [
    ...["API-Version", "Cache-Control", "RateLimit-Limit", "RateLimit-Policy"],
    ...["RateLimit-Remaining", "RateLimit-Reset", "X-Request-Id"],
  ];
  const answers = operations.flatMap(({ name, operation }) =>
    answersOf(operation).map(([status, answer]) => [`${name} ${status}`, answer] as const),
  );
  /** Headers of a response besides those of every response. `?` marks an optional header. */
  const own = answers.map(([name, answer]) => {
    const headers = Object.entries(answer.headers as Json).map(([header, described]) => {
      return resolved(described).required ? header : `${header}?`;
    });
    expect(headers, name).toEqual(expect.arrayContaining(common));
    return [name, headers.filter((header) => !common.includes(header)).join(" ")] as const;
  });
  const names = Object.keys(section4);
  const keyedNames = names.filter((name) => section4[name]?.scope !== "public");
  expect(Object.fromEntries(own.filter(([, headers]) => headers !== ""))).toEqual({
    ...Object.fromEntries(keyedNames.map((name) => [`${name} 401`, "WWW-Authenticate"])),
    ...Object.fromEntries(keyedNames.map((name) => [`${name} 429`, "Retry-After"])),
    ...Object.fromEntries(names.map((name) => [`${name} 500`, "Retry-After?"])),
    "POST /v1/queues/{queueId}/entries 201": "Location Idempotent-Replay?",
    "POST /v1/queues/{queueId}/entries 409": "Retry-After?",
  });
});

describe("formats of requests", () => {
  const identifier = { type: "string", pattern: "^[a-zA-Z0-9]{20,32}$" };
  const date = { type: "string", format: "date", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };
  const schemas: Readonly<Record<string, Json>> = {
    queueId: identifier,
    entryId: identifier,
    appointmentId: identifier,
    cursor: identifier,
    date,
    status: { $ref: "#/components/schemas/EntryStatus" },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 50 },
    "Idempotency-Key": { type: "string", pattern: "^[A-Za-z0-9_-]{8,64}$" },
  };
  const parameters = operations.flatMap(({ name, operation }) =>
    ((operation.parameters ?? []) as Json[]).map((parameter) => [name, parameter] as const),
  );

  test.each(
    parameters.map(([name, parameter]) => [name, String(parameter.name), parameter] as const),
  )("%s: %s", (_, name, { schema, description }) => {
    expect(schema).toEqual(schemas[name]);
    expect(description).toMatch(/\.$/);
  });

  test("the body of a creation", () => {
    const { properties, required, additionalProperties } = resolved({
      $ref: "#/components/schemas/CreateEntryRequest",
    });
    expect({ required, additionalProperties }).toEqual({
      required: ["name", "phone"],
      additionalProperties: false,
    });
    expect(properties).toEqual({
      name: expect.objectContaining({ type: "string", minLength: 1, maxLength: 120 }),
      phone: expect.objectContaining({
        type: "string",
        pattern: "^\\+?[ ()-]*([0-9][ ()-]*){8,20}$",
        maxLength: 21,
        not: { pattern: "^[^+].{20}$" },
      }),
      serviceId: expect.objectContaining(identifier),
    });
  });
});

describe("the document as a whole", () => {
  const { info, components } = document as { info: Json; components: Json };

  test("has the version, the license and the given addresses", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(info).toMatchObject({
      title: "Queue API",
      version: "1.1.0",
      license: { identifier: "MIT" },
      contact: { url: addresses.docsUrl },
    });
    expect(document.servers).toEqual([expect.objectContaining({ url: addresses.baseUrl })]);
    expect(document.externalDocs).toMatchObject({ url: addresses.docsUrl });
  });

  test("requires a bearer key in the form of the service", () => {
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(components.securitySchemes).toEqual({
      apiKey: expect.objectContaining({
        type: "http",
        scheme: "bearer",
        bearerFormat: "svc_live_<id>_<secret>",
      }),
    });
  });

  test("documents the limits of section 8", () => {
    const text = JSON.stringify(document);
    expect(text).toContain("120 requests in 60 seconds, of which 30 can be POST");
    expect(text).toContain("30 responses with status 401 within 10 minutes");
    expect(text).toContain("32768 bytes");
    expect(text).toContain("can have 10 active keys");
    expect(text).toContain("1 to 365 days, by default 90");
    expect(text).toContain("24 hours");
    expect(text).toContain("90 days");
    expect(text).toContain("8 to 20 digits in at most 20 characters");
  });

  test("shows its own version as the example of itself", () => {
    const { operation } = operations.find(({ name }) => name === "GET /v1/openapi.json") ?? {};
    const [[, answer] = []] = operation ? answersOf(operation) : [];
    expect(jsonContent(answer).example).toEqual({ openapi: document.openapi });
  });

  test("says which requests the audit log leaves out, and how many wrong fields an error names", () => {
    expect(info.description).toMatch(/need no key.*before their key is checked/);
    const { properties } = (components.schemas as Json).Error as Json;
    expect((properties as Json).details).toMatchObject({
      description: expect.stringContaining("at most 20"),
    });
  });
});
