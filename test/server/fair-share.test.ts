import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairShare } from "../../server/src/http/fair-share.js";

function workOf(share: FairShare) {
  const begun: string[] = [];
  const gone = new Set<string>();
  const add = (subject: string, name: string) => {
    if (share.mayBegin()) begun.push(name);
    else share.wait(subject, { begin: () => begun.push(name), isGone: () => gone.has(name) });
  };
  return { begun, gone, add };
}

test("work that fits into one turn of the event loop starts at once", () => {
  const { begun, add } = workOf(new FairShare(2));
  for (const name of ["a1", "a2", "a3"]) add("a", name);
  expect(begun).toEqual(["a1", "a2"]);
});

test("the lines of two addresses alternate, regardless of their length", async () => {
  const { begun, add } = workOf(new FairShare(2));
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6"]) add("a", name);
  add("b", "b1");
  await setImmediate();
  expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
  await setImmediate();
  await setImmediate();
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "a4", "a5", "a6"]);
});

test("new work waits behind earlier work", async () => {
  const { begun, add } = workOf(new FairShare(1));
  for (const name of ["a1", "a2", "a3"]) add("a", name);
  await setImmediate();
  add("a", "a4");
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  expect(begun).toEqual(["a1", "a2", "a3", "a4"]);
});

test("work of a client that disconnected is skipped, and uses no turn", async () => {
  const { begun, gone, add } = workOf(new FairShare(1));
  for (const name of ["a1", "a2", "a3"]) add("a", name);
  gone.add("a2");
  await setImmediate();
  expect(begun).toEqual(["a1", "a3"]);
});
