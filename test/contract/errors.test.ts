import { errorCodes, errors } from "@queue-api/contract";
import { expect, test } from "vitest";

test.each(errorCodes)("%s has a message of its own and a condition, one sentence each", (code) => {
  expect(errors[code].message).toMatch(/^[A-Z].+\.$/);
  expect(errors[code].when).toMatch(/^[A-Z].+\.$/);
  const same = errorCodes.filter((other) => errors[other].message === errors[code].message);
  expect(same).toEqual([code]);
});
