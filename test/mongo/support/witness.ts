import { QueueApi, QueueApiError } from "@queue-api/sdk";
import type { Clinic } from "../../support/clinic.js";
import { withDatabase } from "../../support/mongo.js";

/** A customer's program under load: it creates entries, one after another, and remembers what it was told. */
export interface Witness {
  /** Waits until so many more creations than now have been acknowledged. */
  acknowledgedMore(count: number): Promise<void>;
  /** Stops, and holds what it was told against what is in the database. */
  testimony(): Promise<Testimony>;
}

interface Testimony {
  readonly acknowledged: number;
  /** Ids that were acknowledged and are not there. */
  readonly missing: readonly string[];
  /** People who are there more than once. */
  readonly twice: readonly string[];
  /** Numbers that several entries have. */
  readonly sameNumber: readonly number[];
}

const senders = 6;

/** Starts to create entries from several senders, each creation for somebody else. */
export function startWitness(clinic: Clinic, serviceUrl: string, databaseUrl: string): Witness {
  const api = new QueueApi({
    apiKey: clinic.key(),
    baseUrl: serviceUrl,
    pacing: false,
    maxRetries: 2,
  });
  const acknowledged: string[] = [];
  let watchers: { count: number; resolve: () => void }[] = [];
  let stopped = false;
  let made = 0;

  const sender = async () => {
    while (!stopped) {
      try {
        const name = `Customer ${made++}`;
        const entry = await api.entries.create(clinic.queue(), { name, phone: "919800000001" });
        acknowledged.push(entry.id);
        for (const { count, resolve } of watchers) if (acknowledged.length >= count) resolve();
        watchers = watchers.filter(({ count }) => acknowledged.length < count);
      } catch (error) {
        if (!(error instanceof QueueApiError)) throw error;
      }
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, sender));

  return {
    acknowledgedMore: (count) =>
      new Promise((resolve) => watchers.push({ count: acknowledged.length + count, resolve })),
    async testimony() {
      stopped = true;
      await sending;
      return withDatabase(databaseUrl, async (db) => {
        const entries = await db
          .collection<{ _id: string; customerName: string; tokenNumber: number }>("entries")
          .find()
          .toArray();
        const there = new Set(entries.map(({ _id }) => _id));
        return {
          acknowledged: acknowledged.length,
          missing: acknowledged.filter((id) => !there.has(id)),
          twice: repeated(entries.map(({ customerName }) => customerName)),
          sameNumber: repeated(entries.map(({ tokenNumber }) => tokenNumber)),
        };
      });
    },
  };
}

function repeated<Value>(values: readonly Value[]): Value[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}
