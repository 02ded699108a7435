import type { RefOf, SeedInput, SlugOf } from "./seed.js";

/** The ids behind the refs of a seed. Each throws RangeError for a ref that the seed does not have. */
export interface Ids<Seed = SeedInput> {
  /** The business with a slug; without one, the only business of the seed. */
  business(slug?: SlugOf<Seed>): string;
  /** The queue with a ref. `slug` names its business when several businesses have a queue of that ref. */
  queue(ref: RefOf<Seed, "queues">, slug?: SlugOf<Seed>): string;
  service(ref: RefOf<Seed, "services">, slug?: SlugOf<Seed>): string;
  entry(ref: RefOf<Seed, "entries">, slug?: SlugOf<Seed>): string;
  appointment(ref: RefOf<Seed, "appointments">, slug?: SlugOf<Seed>): string;
}
