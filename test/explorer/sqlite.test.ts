import { afterAll, describe, expect, test } from "vitest";
import { acts } from "./acts.js";
import { explore } from "./explore.js";
import { sqliteScene } from "./sqlite-scene.js";
import { stage } from "./stage.js";

const ends: (() => Promise<void>)[] = [];
const scene = sqliteScene((end) => ends.push(end));
afterAll(async () => {
  for (const end of ends) await end();
});

/** Each act with itself and with a creation: SQLite makes every operation atomic, so the pairs differ little. */
const names = Object.keys(acts);
const pairs = names.flatMap((name) => [["create with K", name] as const, [name, name] as const]);

describe("two instances on one file, in every order of their operations", () => {
  test.each(pairs)(
    "do %s and %s as in sequence, also with a lost answer or a killed process",
    async (...both) => {
      const opened = await scene;
      const explored = await explore(() => stage(opened, { acts: both, faults: 1 }));
      expect(explored.failure).toBeNull();
      expect(explored.schedules).toBeGreaterThan(1);
    },
  );
});
