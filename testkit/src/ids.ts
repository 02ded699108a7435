import type { RefOf, SeedInput, SlugOf } from "./seed.js";

/** The ids behind the refs of a seed. Each throws RangeError for a ref that the seed does not have. */
export interface Ids<Seed = SeedInput> {
  /** The business with a slug. Without a slug, the only business of the seed. */
  business(slug?: SlugOf<Seed>): string;
  /** The queue with a ref. `slug` names its business if several businesses have a queue with that ref. */
  queue(ref: RefOf<Seed, "queues">, slug?: SlugOf<Seed>): string;
  service(ref: RefOf<Seed, "services">, slug?: SlugOf<Seed>): string;
  entry(ref: RefOf<Seed, "entries">, slug?: SlugOf<Seed>): string;
  appointment(ref: RefOf<Seed, "appointments">, slug?: SlugOf<Seed>): string;
}
