import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";

/** The globals of vitest and jest, by Node's own runner. */
Object.assign(globalThis, {
  it,
  afterEach,
  beforeAll: before,
  afterAll: after,
  expect: (value) => ({ toEqual: (expected) => assert.deepEqual(value, expected) }),
});
