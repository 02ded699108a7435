import type { Store } from "@queue-api/server";
import { expect, test } from "vitest";
import type { Operations } from "../support/interposed.js";
import { testService } from "../support/service.js";

const database = { isAway: false };

type Step = (...given: never[]) => unknown;

/** A store operation that fails while the database is unavailable. */
const guarded =
  (step: Step): Step =>
  (...given) => {
    if (database.isAway) throw new Error("the database is away");
    return step(...given);
  };

/** Every operation of a store, guarded. */
function guardedStore(store: Store): Operations {
  const nouns = Object.entries(store).map(([noun, operations]: [string, unknown]) => [
    noun,
    typeof operations === "function"
      ? guarded(operations as Step)
      : Object.fromEntries(
          Object.entries(operations as Record<string, unknown>).map(([name, step]) => [
            name,
            typeof step === "function" ? guarded(step as Step) : step,
          ]),
        ),
  ]);
  return Object.fromEntries(nouns) as Operations;
}

const service = await testService({ interpose: guardedStore, usualStore: "memory" });

test("what needs no database is served while it is unavailable", async () => {
  expect((await fetch(`${service.url}/v1/me`)).status).toBe(401);
  database.isAway = true;
  expect((await fetch(`${service.url}/v1/me`)).status).toBe(500);
  const headers = { Accept: "text/html" };
  for (const [path, status] of [
    ["/docs", 200],
    ["/docs/errors", 200],
    ["/docs/reference/createEntry", 200],
    ["/docs/nope", 404],
    ["/", 302],
    ["/v1", 200],
    ["/v1/openapi.json", 200],
    ["/healthz", 200],
  ] as const) {
    const answer = await fetch(service.url + path, { headers, redirect: "manual" });
    expect(answer.status, path).toBe(status);
  }
  database.isAway = false;
});
