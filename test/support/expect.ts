import type { ErrorCode } from "@queue-api/contract";
import { expect } from "vitest";
import type { Answer } from "./answer.js";

/** That a request was refused with this status and code. */
export function expectRefusal(answer: Answer, status: number, code: ErrorCode): void {
  expect(`${answer.status} ${answer.error.code}`).toBe(`${status} ${code}`);
}

/** That a request was refused because of these fields, all of them and no other. */
export function expectWrong(answer: Answer, ...fields: string[]): void {
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.wrongFields).toEqual(fields.sort());
}

/** That a request succeeded, with the answer's text where it did not. */
export function expectStatus(answer: Answer, status: number): void {
  if (answer.status !== status) expect(answer.text).toBe(`an answer with status ${status}`);
  expect(answer.status).toBe(status);
}

/** What two answers must share to tell nothing apart: everything but the request id and the hour. */
export function twin(answer: Answer): { status: number; headers: unknown; body: string } {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ["x-request-id", "date"]) delete headers[name];
  return { status: answer.status, headers, body: answer.text.replace(answer.requestId, "…") };
}
