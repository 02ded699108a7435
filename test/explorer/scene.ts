import { randomBytes } from "node:crypto";
import type { Store } from "@queue-api/server";
import { newId } from "../../server/dist/rules/ids.js";
import type { MovableClock } from "../support/clock.js";
import { type Owner, ownerOf } from "../support/owner.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import type { Answer, ServiceAtHand } from "./service-at-hand.js";

/** Something an instance has asked of its database and that waits until the explorer lets it pass. */
export interface Held {
  /** Tells it apart from all else of its instance: `insert entries`. */
  readonly name: string;
  /** What of the database it reads and writes. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether it can go wrong. */
  readonly canFail: boolean;
  /** Carries it out and hands the answer back. */
  pass(): Promise<void>;
  /** Carries it out; the answer gets lost. */
  lose(): Promise<void>;
  /** Its sender is told that it failed, as after a timeout. It may still arrive, where it can. */
  fail(): Promise<void>;
  /** Carries it out, though nobody waits for the answer any more; null where that cannot happen. */
  readonly arrive: (() => Promise<void>) | null;
  /** The instance that was thought dead gets its answer after all; what has not been carried out is. */
  wake(): Promise<void>;
}

/** What the staff do at an instance, answered as a request would be. */
export interface Desk {
  transfer(entryId: string, queueId: string): Promise<Answer>;
  undo(entryId: string): Promise<Answer>;
}

export function deskOf(store: Store, businessId: string, now: () => number): Desk {
  const answered = async (act: Promise<{ readonly outcome: string }>): Promise<Answer> => {
    const { outcome } = await act.catch(() => ({ outcome: "failed" }));
    const status = outcome === "failed" ? 500 : outcome === "invalid_state" ? 409 : 200;
    return { status, text: outcome, replayed: false };
  };
  return {
    transfer: (entryId, queueId) => {
      const request = { id: newId(now(), randomBytes), queueId, dailyTokenLimit: null };
      return answered(store.entries.transfer(businessId, entryId, request, now()));
    },
    undo: (entryId) => answered(store.entries.move(businessId, entryId, "undo", now())),
  };
}

/** One instance of the service, whose way to the database is held. */
export interface Instance {
  readonly name: string;
  readonly service: ServiceAtHand;
  readonly desk: Desk;
  /** What waits, in the order in which it came. */
  readonly held: readonly Held[];
}

/** Instances on one database, with all that a run needs beside them. */
export interface Scene {
  readonly instances: readonly Instance[];
  /** An instance more that nothing holds, to look at the outcome. */
  readonly observer: ServiceAtHand;
  readonly owner: Owner;
  readonly clock: MovableClock;
  readonly queueId: string;
  /** Another queue of the business, which nobody waits in at first. */
  readonly otherQueueId: string;
  /** Moves all clocks on. */
  advance(seconds: number): void;
  /** Resolves when nothing moves any more; for an instance with requests under way that means that something is held. */
  rest(isAtRest: (instance: Instance) => boolean): Promise<void>;
  /** What the database counts, held against what it counts, on the business day of the clock. */
  wrongCounts(): Promise<string[]>;
  /** Resolves when the observer has written what it put off. */
  settle(): Promise<void>;
  /** A new run begins: names begin anew, and every instance knows what the business offers. */
  begin(): Promise<void>;
}

/** What a scene is made of. */
export interface SceneOptions {
  readonly dailyTokenLimit?: number | undefined;
  /** A store with something wrong in it, in the place of the right one. */
  readonly broken?: ((store: Store) => Store) | undefined;
  /** A MongoDB index that is missing. */
  readonly dropIndex?: { readonly collection: string; readonly name: string } | undefined;
}

export interface OpenedScene extends Scene {
  close(): Promise<void>;
}

/** What an instance waits for, each under a name of its own. */
export class HeldThings {
  readonly #instance: string;
  readonly #moved: () => void;
  readonly #names = new Map<string, number>();
  #all: readonly Held[] = [];

  constructor(instance: string, moved: () => void) {
    this.#instance = instance;
    this.#moved = moved;
  }

  get all(): readonly Held[] {
    return this.#all;
  }

  add(held: Held): void {
    this.#all = [...this.#all, held];
    this.#moved();
  }

  remove(held: Held): void {
    this.#all = this.#all.filter((other) => other !== held);
  }

  /** The first of a name is told by it alone, later ones by their number. */
  named(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  }

  /** Begins all names anew. */
  forget(): void {
    if (this.#all.length > 0) throw new Error(`${this.#instance} still waits for something`);
    this.#names.clear();
  }
}

/** Each run has a day of its own, and a key lives no longer than a year: it is made for the days to come. */
const farAhead = Date.UTC(2226, 0, 1);

/** The business of a scene. */
export async function seedClinic(store: Store, dailyTokenLimit: number | null = null) {
  const seed = clinicSeed({
    keys: [wideKey],
    dailyTokenLimit,
    queues: [
      { ref: "front", name: "Front desk" },
      { ref: "other", name: "Laboratory", tokenSeries: "L" },
    ],
  });
  const { id: businessId, keys, queues } = await ownerOf(store, () => farAhead).seed(seed);
  return {
    businessId,
    apiKey: keys.main ?? "",
    queueId: queues.front ?? "",
    otherQueueId: queues.other ?? "",
  };
}
