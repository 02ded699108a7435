import {
  apiVersion,
  appointmentStatuses,
  entryStatuses,
  errorCodes,
  errorDocUrl,
  errorHeaders,
  errorResponse,
  errors,
  limits,
  scopes,
} from "@queue-api/contract";
import { describe, expect, test } from "vitest";

/** The codes of section 7 by status, with `queue_unavailable` from below the table and one added code. */
const section7: Readonly<Record<number, readonly string[]>> = {
  400: ["invalid_request", "invalid_json"],
  401: ["unauthorized"],
  403: ["insufficient_scope", "api_access_disabled", "ip_not_allowed", "plan_limit_reached"],
  404: ["not_found"],
  408: ["request_timeout"],
  409: ["queue_paused", "queue_unavailable", "invalid_state", "request_in_progress"],
  413: ["payload_too_large"],
  415: ["unsupported_media_type"],
  422: ["idempotency_key_reuse"],
  429: ["rate_limited", "too_many_failed_attempts"],
  500: ["internal_error"],
};

describe("errors", () => {
  test("are those of section 7 and one added code, with their statuses", () => {
    const listed = Object.entries(section7).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)]),
    );
    const table = Object.entries(errors).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(listed));
    expect(errorCodes).toEqual(Object.keys(errors));
  });

  test.each(errorCodes)("%s has a message and a condition, one sentence each", (code) => {
    expect(errors[code].message).toMatch(/^[A-Z].+\.$/);
    expect(errors[code].when).toMatch(/^[A-Z].+\.$/);
  });

  test("have different messages", () => {
    const messages = errorCodes.map((code) => errors[code].message);
    expect(new Set(messages).size).toBe(messages.length);
  });

  test("have an anchor in the error reference", () => {
    expect(errorDocUrl("https://queue.example/docs", "queue_paused")).toBe(
      "https://queue.example/docs/errors#queue_paused",
    );
  });

  test("have Retry-After where a retry helps, and WWW-Authenticate where a key helps", () => {
    const headers = Object.entries(errorHeaders).map(([code, own]) => [code, Object.keys(own)]);
    expect(Object.fromEntries(headers)).toEqual({
      unauthorized: ["WWW-Authenticate"],
      request_in_progress: ["Retry-After"],
      rate_limited: ["Retry-After"],
      too_many_failed_attempts: ["Retry-After"],
      internal_error: ["Retry-After"],
    });
  });
});

describe("the body of an error", () => {
  const error = {
    code: "invalid_request",
    message: errors.invalid_request.message,
    requestId: "0d5b8b0e-6a55-4b4c-9a51-8f7a5f0d8c11",
    docUrl: errorDocUrl("https://queue.example/docs", "invalid_request"),
  };

  test("has code, message, requestId and docUrl, and details or required for their codes", () => {
    const details = [{ field: "phone", message: "is required" }];
    const required = ["queue:read"];
    for (const whole of [error, { ...error, details }, { ...error, required }]) {
      expect(errorResponse.parse({ error: whole })).toEqual({ error: whole });
    }
  });

  test("can have an unknown code", () => {
    const unknown = { ...error, code: "region_blocked" };
    expect(errorResponse.parse({ error: unknown })).toEqual({ error: unknown });
  });

  test.each([
    ...Object.keys(error).map((field) => ({ [field]: undefined })),
    { code: 404 },
    { requestId: "42" },
    { docUrl: "errors#invalid_request" },
    { details: [{ message: "is required" }] },
    { required: "queue:read" },
  ])("is invalid with %j", (wrong) => {
    expect(errorResponse.safeParse({ error: { ...error, ...wrong } }).success).toBe(false);
  });
});

test("limits are those of section 8, plus the length of an id and the tokens of a queue's day", () => {
  expect(limits).toEqual({
    requestsPerMinute: 120,
    writesPerMinute: 30,
    keyWindowSeconds: 60,
    failedSignIns: 30,
    failedSignInWindowSeconds: 10 * 60,
    maxBodyBytes: 32 * 1024,
    pageSize: { min: 1, max: 100, default: 50 },
    activeKeys: 10,
    queueTokensPerDay: 10_000,
    keyLifetimeDays: { min: 1, max: 365, default: 90 },
    idLength: { min: 20, max: 32 },
    idempotencyKeyLength: { min: 8, max: 64 },
    idempotencyHours: 24,
    auditRetentionDays: 90,
    nameLength: { min: 1, max: 120 },
    phoneDigits: { min: 8, max: 20 },
  });
});

test("statuses are those of section 3: an entry is CANCELED, an appointment is CANCELLED", () => {
  expect(entryStatuses).toEqual(["WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"]);
  expect(appointmentStatuses).toEqual([
    "CONFIRMED",
    "CHECKED_IN",
    "IN_SERVICE",
    "COMPLETED",
    "NO_SHOW",
    "CANCELLED",
  ]);
});

test("scopes are those of section 5", () => {
  expect(scopes).toEqual(["queue:read", "queue:write", "appointments:read"]);
});

test("the version is that of section 9", () => {
  expect(apiVersion).toEqual({ full: "1.1.0", major: "v1" });
});
