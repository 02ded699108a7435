import { Client, type Target } from "./client.js";
import type { Owner } from "./owner.js";
import { type BusinessSeed, clinicSeed, type SeededBusiness } from "./seed.js";

/** A business that a test seeded. Its resources are found by the refs of the seed. */
export class Clinic {
  readonly id: string;

  constructor(
    private readonly target: Target,
    readonly slug: string,
    private readonly seeded: SeededBusiness,
    private readonly address: string,
  ) {
    this.id = seeded.id;
  }

  /** A client with one of the business's keys. */
  client(key = "main"): Client {
    return new Client(this.target, this.key(key), this.address);
  }

  /** A client without a key. */
  stranger(): Client {
    return new Client(this.target, null, this.address);
  }

  key(ref = "main"): string {
    return named(this.seeded.keys, ref);
  }

  /** The public part of a key. */
  keyId(ref = "main"): string {
    return this.key(ref).split("_")[2] ?? "";
  }

  queue(ref = "front"): string {
    return named(this.seeded.queues, ref);
  }

  service(ref = "consult"): string {
    return named(this.seeded.services, ref);
  }

  entry(ref: string): string {
    return named(this.seeded.entries, ref);
  }

  appointment(ref: string): string {
    return named(this.seeded.appointments, ref);
  }
}

export async function seededClinic(
  target: Target,
  owner: Owner,
  changes: BusinessSeed,
  address = "10.0.0.1",
): Promise<Clinic> {
  const seed = clinicSeed(changes);
  return new Clinic(target, seed.slug, await owner.seed(seed), address);
}

function named(ids: Readonly<Record<string, string>>, ref: string): string {
  const id = ids[ref];
  if (id === undefined) throw new Error(`the seed has nothing called ${ref}`);
  return id;
}
