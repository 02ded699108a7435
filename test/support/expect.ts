import type { ErrorCode } from "@queue-api/contract";
import { expect } from "vitest";
import type { Answer } from "./answer.js";

export function expectRefusal(answer: Answer, status: number, code: ErrorCode): void {
  expect(`${answer.status} ${answer.error.code}`).toBe(`${status} ${code}`);
}

/** Expects a refusal because of exactly these fields. */
export function expectWrong(answer: Answer, ...fields: string[]): void {
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.wrongFields).toEqual(fields.sort());
}

/** Expects a status. A failure shows the response's text. */
export function expectStatus(answer: Answer, status: number): void {
  if (answer.status !== status) expect(answer.text).toBe(`an answer with status ${status}`);
  expect(answer.status).toBe(status);
}

/** The part that indistinguishable responses have in common: everything except the request id and the time. */
export function twin(answer: Answer): { status: number; headers: unknown; body: string } {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ["x-request-id", "date"]) delete headers[name];
  return { status: answer.status, headers, body: answer.text.replace(answer.requestId, "…") };
}
