import { randomBytes } from "node:crypto";
import { readConfig, startServer } from "@queue-api/server";
import type { OnTestFinishedHandler } from "vitest";
import { openMongo } from "../../../server/src/store/mongo/open-mongo.js";
import { reportComment } from "../../../server/src/store/mongo/writer.js";
import { wrapStore } from "../../../server/src/store/operations.js";
import type { Store } from "../../../server/src/store/store.js";
import { Clinic } from "../../support/clinic.js";
import { type Gate, gate } from "../../support/gate.js";
import { interposed } from "../../support/interposed.js";
import { mongoDatabase } from "../../support/mongo.js";
import { ownerOf } from "../../support/owner.js";
import { type BusinessSeed, clinicSeed } from "../../support/seed.js";

/** A command as it goes to the database. */
export type Command = Readonly<Record<string, unknown>>;

/** A service in this process whose commands to the database are seen. */
export interface Watched {
  readonly url: string;
  readonly store: Store;
  readonly clinic: Clinic;
  /** Every request passes it before it is admitted; open unless it is closed. */
  readonly door: Gate;
  /** Every command so far. */
  readonly commands: readonly Command[];
  /** Every operation of the store that was asked for so far, by its name in the port. */
  readonly operations: ReadonlySet<string>;
  /** Adds so many clinics with the same seed. */
  neighbours(count: number): Promise<Clinic[]>;
  /** The commands that a request makes, by name, but for what runs in the background by itself. */
  during(request: () => Promise<unknown>): Promise<string[]>;
}

export async function startWatched(
  atEnd: (end: OnTestFinishedHandler) => void,
  changes: BusinessSeed = {},
): Promise<Watched> {
  const database = mongoDatabase();
  atEnd(database.remove);
  const commands: Command[] = [];
  const operations = new Set<string>();
  const opened = await openMongo(database.url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  const store = noting(opened, operations);
  atEnd(() => store.close());
  const config = { ...readConfig({}), port: 0, logLevel: "silent", checkAnswers: true };
  const door = gate();
  const guarded = interposed(store, {
    admission: {
      admit: async (attempt) => {
        await door.pass();
        return store.admission.admit(attempt);
      },
    },
  });
  const server = await startServer({ store: guarded, config, random: randomBytes });
  atEnd(() => server.close());
  const addClinic = async (address: string) => {
    const seed = clinicSeed(changes);
    const seeded = await ownerOf(store, Date.now).seed(seed);
    return new Clinic({ url: server.url, conformance: null }, seed.slug, seeded, address);
  };
  return {
    url: database.url,
    store,
    clinic: await addClinic("10.0.0.1"),
    neighbours: async (count) => {
      const clinics: Clinic[] = [];
      for (let n = 1; n <= count; n++) clinics.push(await addClinic(`10.0.1.${n}`));
      return clinics;
    },
    door,
    commands,
    operations,
    during: async (request) => {
      const before = commands.length;
      await request();
      return commands.slice(before).filter(isOfRequest).map(nameOf);
    },
  };
}

/** The same store, which notes the names of the operations that it is asked for. */
function noting(store: Store, names: Set<string>): Store {
  return wrapStore(store, (name, operation) => (...given) => {
    names.add(name);
    return operation(...given);
  });
}

/** What the command is, and on what: `find entries`. */
export function nameOf(command: Command): string {
  const [name = ""] = Object.keys(command);
  return `${name} ${command[name]}`;
}

/**
 * Once in half a second at most, a process asks which addresses were barred; it writes down in batches
 * which changes have ended, and who read what.
 */
function isOfRequest(command: Command): boolean {
  const { filter, comment } = command as { filter?: { closedAt?: unknown }; comment?: unknown };
  const name = nameOf(command);
  if (name === "find sign_ins" && filter?.closedAt) return false;
  return comment !== reportComment && name !== "insert audit";
}
