import { join } from "node:path";
import { Command } from "commander";
import { growth } from "./growth/growth.js";
import { mostRounds } from "./growth/measure.js";
import { machine } from "./machine.js";
import { mongoServer, newMongoDatabase } from "./mongo.js";
import { count, positive } from "./number-options.js";
import { onStage, type Stage } from "./stage.js";

interface Options {
  readonly scale: number;
  readonly minutes: number;
  readonly rounds: number;
  readonly store?: string;
}

const adapters: Readonly<Record<string, (stage: Stage) => () => string>> = {
  SQLite: (stage) => {
    let files = 0;
    return () => `file:${join(stage.folder, `growth-${++files}.db`)}`;
  },
  ...(mongoServer !== null && { MongoDB: (stage: Stage) => () => newMongoDatabase(stage) }),
};

await new Command("npm run bench:growth --")
  .description(
    "Measures how the cost of an entry, a list page, a creation, statistics and pruning grows with the data.\nThe data is written in a temporary folder, and to the server that TEST_MONGODB_URL names. A goal that is\nmissed is marked and is no failure.",
  )
  .option("--scale <share>", "the sizes, as a share of the full ones", positive, 1)
  .option("--minutes <n>", "how long writing one size may take", positive, 15)
  .option(
    "--rounds <n>",
    `how often each size has its turn, ${mostRounds} at most`,
    count,
    mostRounds,
  )
  .option("--store <name>", "SQLite or MongoDB; default: both")
  .action(async ({ scale, minutes, rounds, store }: Options) => {
    if (mongoServer === null) console.error("left out: MongoDB. Set TEST_MONGODB_URL for it.");
    console.log(`Growth at a scale of ${scale}; ${await machine()}\n`);
    for (const [name, databases] of Object.entries(adapters)) {
      if (store !== undefined && store !== name) continue;
      const report = await onStage([], (stage) =>
        growth({
          ...{ scale, minutes, rounds, newDatabase: databases(stage) },
          report: (progress) => console.error(`${name}: ${progress}`),
        }),
      );
      console.log(`${name}\n\n${report}\n`);
    }
  })
  .parseAsync();
