import { QueueApi, QueueApiError } from "@queue-api/sdk";
import type { Clinic } from "../../support/clinic.js";
import { History } from "../../support/history.js";
import { withDatabase } from "../../support/mongo.js";
import type { Owner } from "../../support/owner.js";

/** A client that creates entries one after another, and records the results. */
export interface Workload {
  /** Waits until this many more creations have been acknowledged. */
  acknowledgedMore(count: number): Promise<void>;
  /** Stops the workload, and compares its results with the database. */
  results(): Promise<WorkloadResults>;
}

interface WorkloadResults {
  readonly acknowledged: number;
  /** Ids that were acknowledged and are not stored. */
  readonly missing: readonly string[];
  /** Customers with more than one entry. */
  readonly twice: readonly string[];
  /** Token numbers of more than one entry. */
  readonly sameNumber: readonly number[];
  /** Why no sequential queue can have returned these results. Empty if one can. */
  readonly impossible: readonly string[];
}

interface KeptEntry {
  readonly _id: string;
  readonly customerName: string;
  readonly tokenNumber: number;
  readonly status: string;
}

const senders = 6;

/**
 * Creates entries from several senders, each for another customer. Every fifth entry is canceled. With an
 * owner, the owner calls the next entry after every eleventh creation.
 */
export function startWorkload(
  clinic: Clinic,
  serviceUrl: string,
  databaseUrl: string,
  owner: Owner | null = null,
): Workload {
  const api = new QueueApi({
    apiKey: clinic.key(),
    baseUrl: serviceUrl,
    pacing: false,
    maxRetries: 2,
  });
  const acknowledged: string[] = [];
  const history = new History();
  let watchers: { count: number; resolve: () => void }[] = [];
  let stopped = false;
  let made = 0;

  async function create(name: string): Promise<string> {
    const created = await history.create(name, async () => {
      const entry = await api.entries.create(clinic.queue(), { name, phone: "919800000001" });
      const { id, tokenNumber: number, position } = entry;
      return { id, number, position, text: null };
    });
    return created.id;
  }

  /** If a retried cancellation fails, it is unknown whether the first attempt took effect. */
  async function cancel(id: string): Promise<void> {
    await history.cancel(id, async () => (await api.entries.cancel(id)).status === "CANCELED");
  }

  async function callNext({ next }: Owner): Promise<void> {
    await history.next(() => next(clinic.queue()));
  }

  const sender = async () => {
    while (!stopped) {
      try {
        const name = `Customer ${made++}`;
        const id = await create(name);
        acknowledged.push(id);
        for (const { count, resolve } of watchers) if (acknowledged.length >= count) resolve();
        watchers = watchers.filter(({ count }) => acknowledged.length < count);
        if (acknowledged.length % 5 === 0) await cancel(id);
        if (owner && acknowledged.length % 11 === 0) await callNext(owner);
      } catch (error) {
        const isAway = error instanceof Error && error.name === "StoreUnavailableError";
        if (!(error instanceof QueueApiError) && !isAway) throw error;
      }
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, sender));

  return {
    acknowledgedMore: (count) =>
      new Promise((resolve) => watchers.push({ count: acknowledged.length + count, resolve })),
    async results() {
      stopped = true;
      await sending;
      return withDatabase(databaseUrl, async (db) => {
        const entries = await db.collection<KeptEntry>("entries").find().toArray();
        const listed = entries.map(
          ({ _id: id, customerName: key, tokenNumber: number, status }) => ({
            id,
            key,
            number,
            status,
          }),
        );
        const there = new Set(entries.map(({ _id }) => _id));
        return {
          acknowledged: acknowledged.length,
          missing: acknowledged.filter((id) => !there.has(id)),
          twice: repeated(entries.map(({ customerName }) => customerName)),
          sameNumber: repeated(entries.map(({ tokenNumber }) => tokenNumber)),
          impossible: history.faults(listed),
        };
      });
    },
  };
}

function repeated<Value>(values: readonly Value[]): Value[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}
