import mongoose, { type Connection, type Model, type mongo, type Schema } from "mongoose";
import { StoreOpenError } from "../store-open-error.js";
import { type AppointmentDoc, appointmentSchema } from "./collections/appointments.js";
import { type AuditDoc, auditSchema } from "./collections/audit.js";
import { type BusinessDoc, businessSchema } from "./collections/businesses.js";
import { type DayDoc, daySchema } from "./collections/days.js";
import { type EntryDoc, entrySchema } from "./collections/entries.js";
import { type IdempotencyDoc, idempotencySchema } from "./collections/idempotency.js";
import { type ImportDoc, importSchema } from "./collections/imports.js";
import { type KeyringDoc, keyringSchema } from "./collections/keyrings.js";
import { type KeyDoc, keySchema } from "./collections/keys.js";
import { type LeaseDoc, leaseSchema } from "./collections/leases.js";
import { type OwnerSignInDoc, ownerSignInSchema } from "./collections/owner-sign-ins.js";
import { type OwnerDoc, ownerSchema } from "./collections/owners.js";
import { type QueueDoc, queueSchema } from "./collections/queues.js";
import { type ServiceDoc, serviceSchema } from "./collections/services.js";
import { type SignInDoc, signInSchema } from "./collections/sign-ins.js";
import { DriverConnection } from "./driver-connection.js";
import type { Expression } from "./time.js";

export type Filter<Doc> = mongo.Filter<Doc>;

/** A collection: mongoose's model for reads, the driver's collection for pipelines and bulk writes. */
export interface Collection<Doc extends object> {
  readonly model: Model<Doc>;
  readonly raw: mongo.Collection<Doc>;
}

/** A database with its collections. */
export interface Database {
  readonly connection: Connection;
  /** The database's time, or the value of this expression in the database. */
  readonly now: (expression: Expression) => Promise<number>;
  readonly businesses: Collection<BusinessDoc>;
  readonly keys: Collection<KeyDoc>;
  readonly keyrings: Collection<KeyringDoc>;
  readonly queues: Collection<QueueDoc>;
  readonly services: Collection<ServiceDoc>;
  readonly appointments: Collection<AppointmentDoc>;
  readonly entries: Collection<EntryDoc>;
  readonly days: Collection<DayDoc>;
  readonly idempotency: Collection<IdempotencyDoc>;
  readonly signIns: Collection<SignInDoc>;
  readonly owners: Collection<OwnerDoc>;
  readonly ownerSignIns: Collection<OwnerSignInDoc>;
  readonly audit: Collection<AuditDoc>;
  readonly imports: Collection<ImportDoc>;
  readonly leases: Collection<LeaseDoc>;
}

/** Defaults that the URL may override, in milliseconds. */
export const connectionDefaults = {
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  /** The interval between checks of each server. */
  heartbeatFrequencyMS: 2_000,
  /** How long a command may wait for a connection while the database is available. */
  waitQueueTimeoutMS: 10_000,
  /** How long a command may wait for its response. */
  socketTimeoutMS: 5_000,
  /** `minPoolSize` stays 0: a pool that reconnects during an election fails the retry of a request. */
  maxPoolSize: 50,
};

export interface ConnectOptions {
  /** Whether commands have no time limit. Default: false. */
  readonly patient?: boolean;
  /** Called for each command that is sent; for tests and benchmarks. */
  readonly onCommand?: ((command: mongo.Document) => void) | undefined;
}

/** Connects to the database that a URL names. */
export async function connect(
  url: string,
  { patient = false, onCommand }: ConnectOptions = {},
): Promise<Database> {
  const given = optionsIn(url);
  const options = Object.entries(connectionDefaults).filter(
    ([name]) => !given.has(name.toLowerCase()),
  );
  if (patient) options.push(["socketTimeoutMS", 0]);
  const connection = mongoose.createConnection();
  // The handler is empty, because the command that fails reports the error.
  connection.on("error", () => {});
  try {
    await connection.openUri(url, {
      ...Object.fromEntries(options),
      ...(given.has("w") ? {} : { writeConcern: { w: "majority" } }),
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      monitorCommands: onCommand !== undefined,
      connectionType: DriverConnection,
    } as mongoose.ConnectOptions);
    if (onCommand) {
      connection.getClient().on("commandStarted", ({ command }) => onCommand(command));
    }
  } catch (error) {
    await connection.destroy();
    throw error;
  }
  return database(connection);
}

/** The names of the options in a URL, in lower case. */
function optionsIn(url: string): Set<string> {
  const names = new URLSearchParams(url.split("?")[1] ?? "").keys();
  return new Set([...names].map((name) => name.toLowerCase()));
}

function database(connection: Connection): Database {
  const { db } = connection;
  if (!db) throw new StoreOpenError("The database URL does not lead to a database.");
  const collection = <Doc extends object>(schema: Schema<Doc>): Collection<Doc> => {
    const name = schema.get("collection");
    if (!name) throw new Error("a schema names no collection");
    const bare = schema.clone().set("versionKey", false);
    return { model: connection.model<Doc>(name, bare, name), raw: db.collection<Doc>(name) };
  };
  return {
    connection,
    now: async (expression) => {
      const [answer] = await db
        .aggregate<{ now: number }>([{ $documents: [{}] }, { $project: { now: expression } }])
        .toArray();
      if (!answer) throw new Error("the database did not return its time");
      return answer.now;
    },
    businesses: collection(businessSchema),
    keys: collection(keySchema),
    keyrings: collection(keyringSchema),
    queues: collection(queueSchema),
    services: collection(serviceSchema),
    appointments: collection(appointmentSchema),
    entries: collection(entrySchema),
    days: collection(daySchema),
    idempotency: collection(idempotencySchema),
    signIns: collection(signInSchema),
    owners: collection(ownerSchema),
    ownerSignIns: collection(ownerSignInSchema),
    audit: collection(auditSchema),
    imports: collection(importSchema),
    leases: collection(leaseSchema),
  };
}
