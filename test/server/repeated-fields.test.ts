import { expect, test } from "vitest";
import { repeatedFields } from "../../server/src/lib/repeated-fields.ts";

const deep = (inner: string) => `${'{"a":'.repeat(10_000)}${inner}${"}".repeat(10_000)}`;

test.each([
  ["one object", deep(`{${'"":1,'.repeat(30_000)}"b":1}`)],
  ["many objects", deep(`{${'"a":{"":1,"":1},'.repeat(30_000)}"b":1}`)],
])("30,000 repeated fields below 10,000 names, in %s, are found in a moment", (_, text) => {
  const before = process.cpuUsage();
  expect(repeatedFields(text)).not.toEqual([]);
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(2_000); // milliseconds
});

test("each path is named once, in the order of the text", () => {
  const twice = '{"a":1,"a":2,"a":3,"b":[{"c":1,"c":2}],"d":1,"d":2}';
  expect(repeatedFields(twice)).toEqual(["a", "b[0].c", "d"]);
  expect(repeatedFields('{"a":{"b":1,"b":2},"a":{"b":1,"b":2}}')).toEqual(["a.b", "a"]);
});
