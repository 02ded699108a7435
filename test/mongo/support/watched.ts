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

/** A command that is sent to the database. */
export type Command = Readonly<Record<string, unknown>>;

/** A service in this process whose commands to the database are recorded. */
export interface Watched {
  readonly url: string;
  readonly store: Store;
  readonly clinic: Clinic;
  /** Holds every request before its admission while it is closed. It is open at the start. */
  readonly gate: Gate;
  /** Every command so far. */
  readonly commands: readonly Command[];
  /** The names of the operations of the store that were called so far. */
  readonly operations: ReadonlySet<string>;
  /** Adds this many clinics with the same seed. */
  addClinics(count: number): Promise<Clinic[]>;
  /** Returns the names of the commands that a request sends, without those of background work. */
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
  const store = recordingNames(opened, operations);
  atEnd(() => store.close());
  const config = { ...readConfig({}), port: 0, logLevel: "silent", checkAnswers: true };
  const admissionGate = gate();
  const guarded = interposed(store, {
    admission: {
      admit: async (attempt) => {
        await admissionGate.pass();
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
    addClinics: async (count) => {
      const clinics: Clinic[] = [];
      for (let n = 1; n <= count; n++) clinics.push(await addClinic(`10.0.1.${n}`));
      return clinics;
    },
    gate: admissionGate,
    commands,
    operations,
    during: async (request) => {
      const before = commands.length;
      await request();
      return commands.slice(before).filter(isOfRequest).map(nameOf);
    },
  };
}

/** Wraps a store so that it records the names of the operations that are called. */
function recordingNames(store: Store, names: Set<string>): Store {
  return wrapStore(store, (name, operation) => (...given) => {
    names.add(name);
    return operation(...given);
  });
}

/** The name of a command and its collection, such as `find entries`. */
export function nameOf(command: Command): string {
  const [name = ""] = Object.keys(command);
  return `${name} ${command[name]}`;
}

/**
 * Whether a command belongs to a request. Background work reads the barred addresses at most twice a second,
 * and writes reports of finished changes and audit rows in batches.
 */
function isOfRequest(command: Command): boolean {
  const { filter, comment } = command as { filter?: { closedAt?: unknown }; comment?: unknown };
  const name = nameOf(command);
  if (name === "find sign_ins" && filter?.closedAt) return false;
  return comment !== reportComment && name !== "insert audit";
}
