import { openMongo } from "../../../server/src/store/mongo/open-mongo.js";
import { wrapStore } from "../../../server/src/operations/wrap-store.js";
import type { Store } from "../../../server/src/operations/store.js";
import { settle } from "../../store/support/records.js";
import { mongoDatabase } from "../../support/mongo.js";

/** A command that is sent to the database. */
export type Command = Readonly<Record<string, unknown>>;

/** A store with the clinic and the salon, whose commands to the database are recorded. */
export interface Watched {
  readonly url: string;
  readonly store: Store;
  /** Every command so far. */
  readonly commands: readonly Command[];
  /** The names of the operations of the store that were called so far. */
  readonly operations: ReadonlySet<string>;
  /** Returns the names of the commands that a step sends, in alphabetical order. */
  during(step: () => Promise<unknown>): Promise<string[]>;
}

export async function startWatched(
  atEnd: (end: () => Promise<void>) => void,
  ...parts: [Parameters<typeof settle>[1]?]
): Promise<Watched> {
  const database = mongoDatabase();
  atEnd(database.remove);
  const commands: Command[] = [];
  const operations = new Set<string>();
  const opened = await openMongo(database.url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  const store = wrapStore(opened, (name, operation) => (...given) => {
    operations.add(name);
    return operation(...given);
  });
  atEnd(() => store.close());
  await settle(store, ...parts);
  return {
    ...{ url: database.url, store, commands, operations },
    during: async (step) => {
      const before = commands.length;
      await step();
      return commands.slice(before).map(nameOf).toSorted();
    },
  };
}

/** The name of a command and its collection, such as `find entries`. */
export function nameOf(command: Command): string {
  const [name = ""] = Object.keys(command);
  return `${name} ${command[name]}`;
}
