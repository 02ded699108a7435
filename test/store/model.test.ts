import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Adapter,
  adapters,
  memory,
  mongoInTurn,
  type OpenedStore,
  onMongo,
  threads,
} from "./support/adapters.js";
import type { Operation, Run } from "./support/operation.js";
import { appointment, settle, tomorrow } from "./support/records.js";
import { accountSequences, sequences } from "./support/sequences.js";

/** The outcome of an operation in a comparable form: its result, or the name of its error. */
async function outcomeOf(operation: Operation, on: Run): Promise<unknown> {
  try {
    return await operation.run(on);
  } catch (error) {
    return { failed: error instanceof Error ? error.name : "unknown" };
  }
}

/** Runs a body on new stores of both kinds that have the same two businesses. */
async function withBoth(
  adapter: Adapter,
  body: (model: Run, tested: Run) => Promise<void>,
): Promise<void> {
  const opened: OpenedStore[] = [await memory.open(), await adapter.open()];
  try {
    const runs = opened.map(({ store, clock }): Run => ({ store, clock, imports: 0, made: 0 }));
    for (const { store } of runs) {
      await settle(store, {
        appointments: [
          appointment("visit0"),
          appointment("visit1", { slotTime: "09:00" }),
          appointment("visit2", { date: tomorrow }),
        ],
      });
    }
    const [model, tested] = runs;
    if (model && tested) await body(model, tested);
  } finally {
    for (const { dispose } of opened) await dispose();
  }
}

/** Expects the results of the model in each of these sequences. */
async function answersAsTheModel(
  adapter: Adapter,
  sequences: fc.Arbitrary<Operation[]>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(sequences, (operations) =>
      withBoth(adapter, async (model, tested) => {
        for (const operation of operations) {
          const expected = await outcomeOf(operation, model);
          expect(await outcomeOf(operation, tested), `${operation}`).toEqual(expected);
        }
      }),
    ),
    { numRuns: adapter.sequences },
  );
}

const compared = onMongo
  ? adapters
  : [...adapters.filter((adapter) => adapter !== memory), threads];

describe.each(compared)("the $name store", (adapter) => {
  it.each([
    { what: "any sequence of operations", sequences },
    { what: "any sequence of work on owner accounts", sequences: accountSequences },
  ])("returns the model's results for $what", async ({ sequences }) => {
    await answersAsTheModel(adapter, sequences);
  });
});

if (onMongo) {
  describe("two instances on one MongoDB database", () => {
    it("return the model's results when each operation goes to the other instance", () =>
      answersAsTheModel(mongoInTurn, sequences));
  });
}
