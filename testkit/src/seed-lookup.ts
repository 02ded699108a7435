import type { SeededBusiness, SeedResult } from "../../server/src/in-process.js";
import type { Ids, RefKind } from "./seed.js";

/** Looks up the ids of a seed's refs. `seeded` returns the current state. */
export function idsOf(seeded: () => SeedResult): Ids {
  const find = (kind: RefKind) => (ref: string, slug?: string) => lookUp(seeded(), kind, ref, slug);
  return {
    business: (slug) => onlyBusiness(seeded(), slug)[1].id,
    queue: find("queues"),
    service: find("services"),
    entry: find("entries"),
    appointment: find("appointments"),
  };
}

/** The API key with a ref. Without a ref, the first key of the seed. */
export function keyOf(seeded: SeedResult, ref?: string, slug?: string): string {
  if (ref !== undefined) return lookUp(seeded, "keys", ref, slug);
  const [first] = Object.values(onlyBusiness(seeded, slug)[1].keys);
  if (first === undefined) throw new RangeError("the seed has no key with a ref");
  return first;
}

export function onlyBusiness(seeded: SeedResult, slug?: string): [string, SeededBusiness] {
  const businesses = Object.entries(seeded.businesses);
  const named = slug === undefined ? businesses : businesses.filter(([one]) => one === slug);
  const [found] = named;
  if (found && named.length === 1) return found;
  const slugs = businesses.map(([one]) => one).join(", ") || "none";
  throw new RangeError(`pass the slug of a business of the seed: ${slugs}`);
}

/** Whether a seed has a ref, in any business. */
export function isRef({ businesses }: SeedResult, kind: RefKind, ref: string): boolean {
  return Object.values(businesses).some((business) => Object.hasOwn(business[kind], ref));
}

function lookUp(seeded: SeedResult, kind: RefKind, ref: string, slug?: string): string {
  const businesses =
    slug === undefined ? Object.values(seeded.businesses) : [onlyBusiness(seeded, slug)[1]];
  const refs = businesses.flatMap((business) => Object.entries(business[kind]));
  const [found, another] = refs.filter(([name]) => name === ref);
  if (!found) {
    const known = refs.map(([name]) => name).join(", ") || "none";
    throw new RangeError(`the seed has no ${ref} among its ${kind}; their refs: ${known}`);
  }
  if (another)
    throw new RangeError(`several businesses have ${ref} among their ${kind}; add a slug`);
  return found[1];
}
