import { type ErrorCode, entryExamples, errors } from "@queue-api/contract";
import { vi } from "vitest";

/** An entry as the service sends it. */
export function anEntry(changes: Readonly<Record<string, unknown>> = {}) {
  return { ...entryExamples.waiting, id: entryId, serviceId: null, position: 3, ...changes };
}

export const entryId = "01K2Q7M8Zb4nT6wXc9RvYd3F";
export const queueId = "01K2Q7M8Xa1bC3dEf5GhJk7M";
export const apiKey = "svc_live_01K2Q7M8Vc5vB7nM9aSdFg1H_TheSecretPart";
export const customer1 = { name: "Customer 1", phone: "+91 98000 00001" };
export const requestId = "0d5b8b0e-6a55-4b4c-9a51-8f7a5f0d8c11";

/** An error as the service sends it. */
export function anError(
  code: ErrorCode | (string & {}),
  more: Readonly<Record<string, unknown>> = {},
) {
  const known = code in errors ? errors[code as ErrorCode].message : "Something new happened.";
  const docUrl = `https://queue.example/docs/errors#${code}`;
  return { error: { code, message: known, requestId, docUrl, ...more } };
}

/** A `fetch` of a service that gives the same response to each request. */
export function giving(document: unknown, init?: ResponseInit) {
  return vi.fn(async (_url: string, _init: RequestInit) => Response.json(document, init));
}

/** The headers of a response after which the window has no place left. */
export const usedUp = (limit: number, seconds: number) => ({
  "RateLimit-Limit": String(limit),
  "RateLimit-Remaining": "0",
  "RateLimit-Reset": String(seconds),
});
