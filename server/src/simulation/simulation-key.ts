import { scopes } from "@queue-api/contract";
import { createKey, millisecondsPerDay } from "../owner/key.js";
import { isActive } from "../rules/key.js";
import type { Random } from "../rules/ports.js";
import type { ApiKey, Business, KeyInUse } from "../rules/records.js";
import type { Store } from "../store/store.js";

const lifetimeDays = 1;

/** After half its life a key is renewed. */
const renewAfterMs = (lifetimeDays * millisecondsPerDay) / 2;

/**
 * After so long without a call a simulation counts as left behind, by a process that was killed, say. At
 * its slowest, in real time, one looks around every 15 minutes.
 */
const leftBehindMs = 20 * 60_000;

/**
 * The key that a simulation calls with, made for it alone. A business has one at a time: making one
 * revokes the one before, be it left behind or in use, so that of two simulations the later goes on.
 */
export class SimulationKey {
  readonly #store: Store;
  readonly #business: Business;
  readonly #random: Random;
  #record: ApiKey | null = null;

  constructor(store: Store, business: Business, random: Random) {
    this.#store = store;
    this.#business = business;
    this.#random = random;
  }

  /**
   * Makes the key, in place of the one before. Returns it as it is sent.
   *
   * @throws OwnerError The business has its full number of active keys.
   */
  async make(): Promise<string> {
    const now = await this.#store.now();
    const { id, slug } = this.#business;
    for (const key of await this.#store.keys.list(id)) {
      if (isForSimulation(key, now)) await this.#store.keys.revoke(id, key.id, now);
    }
    const options = { name: "Simulation", scopes: [...scopes], days: lifetimeDays };
    const making = { now, random: this.#random, purpose: "simulation" } as const;
    const made = await createKey(this.#store, slug, options, making);
    this.#record = made.record;
    return made.key;
  }

  /** Whether it is time for a new one, or past it. */
  async isOld(): Promise<boolean> {
    return (
      this.#record !== null && (await this.#store.now()) >= this.#record.createdAt + renewAfterMs
    );
  }

  /** Where it stands: `replaced` by that of a later simulation, or `revoked` by somebody. */
  async standing(): Promise<"kept" | "replaced" | "revoked"> {
    const keys = await this.#store.keys.list(this.#business.id);
    const own = keys.find(({ id }) => id === this.#record?.id);
    if (own?.revokedAt === null) return "kept";
    return keys.some((key) => own && isInPlaceOf(own, key)) ? "replaced" : "revoked";
  }

  async revoke(): Promise<void> {
    if (!this.#record) return;
    await this.#store.keys.revoke(this.#business.id, this.#record.id, await this.#store.now());
  }
}

/** Whether a simulation of the business is going on, or was until some minutes ago. */
export async function isSimulated(store: Store, { id }: Business): Promise<boolean> {
  const now = await store.now();
  return (await store.keys.list(id)).some(
    (key) => isForSimulation(key, now) && now - lastSign(key) < leftBehindMs,
  );
}

/**
 * Whether a key was made in place of a revoked one: by its time, the very instant at which that one was
 * revoked. So it is told from a key that a person revoked, even when the later simulation has ended.
 */
function isInPlaceOf(own: ApiKey, key: ApiKey): boolean {
  return key.id !== own.id && key.purpose === "simulation" && key.createdAt === own.revokedAt;
}

function isForSimulation(key: ApiKey, now: number): boolean {
  return key.purpose === "simulation" && isActive(key, now);
}

function lastSign({ createdAt, lastUsedAt }: KeyInUse): number {
  return Math.max(createdAt, lastUsedAt ?? createdAt);
}
