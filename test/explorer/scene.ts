import { randomBytes } from "node:crypto";
import type { Store } from "@queue-api/server";
import { newId } from "../../server/dist/rules/ids.js";
import type { MovableClock } from "../support/clock.js";
import { type Owner, ownerOf } from "../support/owner.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import type { Answer, ServiceAtHand } from "./service-at-hand.js";

/** A command of an instance to its database that waits until the explorer releases it. */
export interface Held {
  /** Its unique name in its instance: `insert entries`. */
  readonly name: string;
  /** The parts of the database that it reads and writes. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether it can fail. */
  readonly canFail: boolean;
  /** Executes it and returns the reply. */
  pass(): Promise<void>;
  /** Executes it and drops the reply. */
  lose(): Promise<void>;
  /** Fails it for its sender, as after a timeout. It can still arrive later. */
  fail(): Promise<void>;
  /** Executes it after its sender has given up. Null if that cannot happen. */
  readonly arrive: (() => Promise<void>) | null;
  /** Executes it if necessary, and returns the reply to an instance that counted as dead. */
  wake(): Promise<void>;
}

/** The staff's actions on an instance, with results like those of requests. */
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

/** An instance of the service whose commands to the database are held. */
export interface Instance {
  readonly name: string;
  readonly service: ServiceAtHand;
  readonly desk: Desk;
  /** The waiting commands in order of arrival. */
  readonly held: readonly Held[];
}

/** Instances on one database, with everything else that a run needs. */
export interface Scene {
  readonly instances: readonly Instance[];
  /** Another instance without held commands, to read the outcome. */
  readonly observer: ServiceAtHand;
  readonly owner: Owner;
  readonly clock: MovableClock;
  readonly queueId: string;
  /** Another queue of the business, which is empty at the start. */
  readonly otherQueueId: string;
  /** Advances all clocks. */
  advance(seconds: number): void;
  /** Resolves when everything is idle. An instance with pending requests is idle when a command is held. */
  rest(isAtRest: (instance: Instance) => boolean): Promise<void>;
  /** The differences between the stored counts and a recount, on the business day of the clock. */
  wrongCounts(): Promise<string[]>;
  /** Resolves when the observer has written its deferred changes. */
  settle(): Promise<void>;
  /** Starts a new run: resets the names, and makes every instance cache the offer of the business. */
  begin(): Promise<void>;
}

/** The options of a scene. */
export interface SceneOptions {
  readonly dailyTokenLimit?: number | undefined;
  /** A store with a deliberate error, in place of the real one. */
  readonly broken?: ((store: Store) => Store) | undefined;
  /** A MongoDB index that is missing. */
  readonly dropIndex?: { readonly collection: string; readonly name: string } | undefined;
}

export interface OpenedScene extends Scene {
  close(): Promise<void>;
}

/** The waiting commands of an instance, by unique name. */
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

  /** The first command of a name has no number, later ones have. */
  named(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  }

  /** Resets all names. */
  forget(): void {
    if (this.#all.length > 0) throw new Error(`${this.#instance} still waits for something`);
    this.#names.clear();
  }
}

/** Each run has its own day, and a key is valid for at most a year, so the key is created for later days. */
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
