import { scopes } from "@queue-api/contract";
import { createKey, millisecondsPerDay } from "../owner/key.js";
import { isActive } from "../rules/key.js";
import type { Random } from "../rules/ports.js";
import type { ApiKey, Business, KeyInUse } from "../rules/records.js";
import type { Store } from "../store/store.js";

const lifetimeDays = 1;

/** A key is renewed after half its lifetime. */
const renewAfterMs = (lifetimeDays * millisecondsPerDay) / 2;

/**
 * A simulation without a call for this time counts as abandoned, for example because its process was killed. A
 * simulation at real-time speed calls the API at least every 15 minutes.
 */
const abandonedAfterMs = 20 * 60_000;

/**
 * The API key of a simulation. A business has one at a time: creating a key revokes the earlier one, even if it is in
 * use. If two simulations of a business run, the later one continues.
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
   * Creates the key and revokes the earlier one. Returns the key as text.
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
    const context = { now, random: this.#random, purpose: "simulation" } as const;
    const made = await createKey(this.#store, slug, options, context);
    this.#record = made.record;
    return made.key;
  }

  /** Whether the key is due for renewal. */
  async isOld(): Promise<boolean> {
    return (
      this.#record !== null && (await this.#store.now()) >= this.#record.createdAt + renewAfterMs
    );
  }

  /** The state of the key: `valid`, `replaced` by a later simulation, or `revoked` by a person. */
  async state(): Promise<"valid" | "replaced" | "revoked"> {
    const keys = await this.#store.keys.list(this.#business.id);
    const own = keys.find(({ id }) => id === this.#record?.id);
    if (own?.revokedAt === null) return "valid";
    return keys.some((key) => own && isInPlaceOf(own, key)) ? "replaced" : "revoked";
  }

  async revoke(): Promise<void> {
    if (!this.#record) return;
    await this.#store.keys.revoke(this.#business.id, this.#record.id, await this.#store.now());
  }
}

/** Whether a simulation of the business is running, or ran until some minutes ago. */
export async function isSimulated(store: Store, { id }: Business): Promise<boolean> {
  const now = await store.now();
  return (await store.keys.list(id)).some(
    (key) => isForSimulation(key, now) && now - lastCall(key) < abandonedAfterMs,
  );
}

/**
 * Whether a key replaces a revoked one: it was created at the instant at which the other was revoked. This
 * distinguishes it from a key that a person revoked, even after the later simulation has ended.
 */
function isInPlaceOf(own: ApiKey, key: ApiKey): boolean {
  return key.id !== own.id && key.purpose === "simulation" && key.createdAt === own.revokedAt;
}

function isForSimulation(key: ApiKey, now: number): boolean {
  return key.purpose === "simulation" && isActive(key, now);
}

function lastCall({ createdAt, lastUsedAt }: KeyInUse): number {
  return Math.max(createdAt, lastUsedAt ?? createdAt);
}
