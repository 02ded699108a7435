import type { Store } from "@queue-api/server";
import { median } from "../statistics.js";
import { dayOf, expiredRows, id, measured } from "./data.js";

const dayMs = 86_400_000;

/** The measured operations, and how often each is performed in a round. */
export const operations = {
  "an entry": 20,
  "a list page": 10,
  "a creation": 10,
  "a day's statistics": 5,
  "statistics of 7 days": 5,
  "statistics of 30 days": 5,
  "a prune pass": 1,
} as const;

/** The numbers of days of the measured statistics. */
export const daysAsked = {
  "a day's statistics": 1,
  "statistics of 7 days": 7,
  "statistics of 30 days": 30,
} as const;

export type Operation = keyof typeof operations;

/** The maximum number of rounds: each pass of pruning removes a part of the expired rows. */
export const mostRounds = Math.floor(expiredRows / 2_000) - 1; // the first one warms up

/** The duration of an operation and the processor time of this process, in milliseconds. */
export interface Cost {
  readonly time: number;
  readonly processor: number;
}

/** A database of one size, and the cost of each operation on it. */
export class Measured {
  readonly #store: Store;
  readonly #now: number;
  readonly #costs = new Map<Operation, Cost[]>();
  #created = 0;

  constructor(store: Store, now: number) {
    this.#store = store;
    this.#now = now;
  }

  /** Performs an operation again. The first round is not counted. */
  async take(operation: Operation, { counts }: { readonly counts: boolean }): Promise<void> {
    const cost = await this.#do(operation);
    if (!counts) return;
    this.#costs.set(operation, [...(this.#costs.get(operation) ?? []), cost]);
  }

  median(operation: Operation): Cost {
    const costs = this.#costs.get(operation) ?? [];
    return {
      time: median(costs.map(({ time }) => time)),
      processor: median(costs.map(({ processor }) => processor)),
    };
  }

  async #do(operation: Operation): Promise<Cost> {
    const { businessId, queueId, lastEntry } = measured;
    const { entries } = this.#store;
    const date = dayOf(this.#now);
    switch (operation) {
      case "an entry":
        return timed(async () => expectThere(await entries.get(businessId, lastEntry)));
      case "a list page": {
        const page = { limit: 50, after: null };
        return timed(async () =>
          expectThere(await entries.page(businessId, queueId, date, null, page)),
        );
      }
      case "a creation": {
        const entryId = id("n", this.#created++);
        const request = {
          ...{ id: entryId, queueId, date, serviceId: null, customerName: "Newcomer" },
          ...{ customerPhone: "919800000001", phoneIsInternational: false, priority: false },
          ...{ issuedAt: this.#now, keyed: null, audit: null },
        };
        const cost = await timed(async () => {
          const { outcome } = await entries.issue(businessId, request);
          if (outcome !== "issued") throw new Error(`a creation ended with ${outcome}`);
        });
        await entries.move(businessId, entryId, "cancel", this.#now); // keeps the number of waiting entries
        return cost;
      }
      case "a day's statistics":
      case "statistics of 7 days":
      case "statistics of 30 days":
        return this.#statistics(daysAsked[operation]);
      case "a prune pass":
        return timed(async () => {
          const { auditRows } = await this.#store.maintenance.prune();
          if (auditRows === 0) throw new Error("no audit row had expired");
        });
    }
  }

  /** Statistics of days before today, which all have the same number of entries. */
  #statistics(days: number): Promise<Cost> {
    const range = {
      first: dayOf(this.#now - days * dayMs),
      last: dayOf(this.#now - dayMs),
    };
    return timed(async () => {
      for (let after: string | null = null; ; ) {
        const part = await this.#store.statistics.entryTimes(
          measured.businessId,
          range,
          null,
          after,
        );
        if (part.next === null) return;
        after = part.next;
      }
    });
  }
}

async function timed(work: () => Promise<void>): Promise<Cost> {
  const before = process.cpuUsage();
  const began = performance.now();
  await work();
  const time = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  return { time, processor: (user + system) / 1000 };
}

function expectThere(found: unknown): void {
  if (found === null || typeof found === "string") throw new Error(`not found: ${found}`);
}
