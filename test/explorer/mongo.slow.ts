import { afterAll, describe, expect, test } from "vitest";
import { acts } from "./acts.js";
import { explore } from "./explore.js";
import { type Break, mongoScene } from "./mongo-scene.js";
import { stage } from "./stage.js";

const ends: (() => Promise<void>)[] = [];
const scene = mongoScene((end) => ends.push(end));
afterAll(async () => {
  for (const end of ends) await end();
});

const names = Object.keys(acts);
const pairs = names.flatMap((one, place) =>
  names.slice(place).map((other) => [one, other] as const),
);

describe("two instances on one database, in every order of their commands", () => {
  test.each(pairs)("do %s and %s as in sequence", async (...both) => {
    const opened = await scene;
    const { failure, schedules } = await explore(() => stage(opened, { acts: both, faults: 0 }));
    expect(failure).toBeNull();
    expect(schedules).toBeGreaterThan(0);
  });

  /** The acts that decide races in different ways, also with a lost or late answer, or a killed process. */
  const withFault = [
    ["create with K", "create with K"],
    ["create in the back", "move the first"],
    ["cancel the first", "call the first"],
    ["use the key", "use the key"],
    ["pause the queue", "revoke the key"],
  ] as const;
  test.each(withFault)("do %s and %s as in sequence, also with a fault", async (...both) => {
    const opened = await scene;
    const { failure } = await explore(() => stage(opened, { acts: both, faults: 1 }), 150);
    expect(failure).toBeNull();
  });
});

interface Mutant extends Break {
  readonly what: string;
  readonly acts: readonly [string, string];
}

const mutants: readonly Mutant[] = [
  {
    what: "numbers are not unique",
    acts: ["create in the back", "move the first"],
    dropIndex: "number",
  },
  { what: "keys are not unique", acts: ["create with K", "create with K"], dropIndex: "key" },
  {
    what: "a change does not match the revision",
    acts: ["cancel the first", "call the first"],
    unmatched: { collection: "entries", field: "revision" },
  },
  {
    what: "a charge does not match the window",
    acts: ["use the key", "use the key"],
    unmatched: { collection: "windows", field: "requests" },
  },
];

describe("the explorer", () => {
  test.each(mutants)("finds within a minute that $what", { timeout: 60_000 }, async (mutant) => {
    const own: (() => Promise<void>)[] = [];
    try {
      const broken = await mongoScene((end) => own.push(end), mutant);
      const explored = await explore(() => stage(broken, { acts: mutant.acts, faults: 0 }));
      expect(explored.failure).not.toBeNull();
    } finally {
      for (const end of own) await end();
    }
  });
});
