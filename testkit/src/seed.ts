import type { AppointmentStatus, EntryStatus, Scope } from "./api.js";

/** The words of a type that also accepts words which the API may add later. */
export type Known<Word> = Word extends string ? (string extends Word ? never : Word) : never;

/** The initial content of a mock; also the format of the file that `queue-api seed` reads. */
export interface SeedInput {
  readonly businesses: readonly SeedBusiness[];
}

export interface SeedBusiness {
  /** 1 to 63 characters from a to z, 0 to 9 and `-`, not beginning with `-`; unique. */
  readonly slug: string;
  readonly name: string;
  /** Default null. */
  readonly category?: string | null | undefined;
  /** An IANA time zone such as `Asia/Kolkata`. Default null, which means UTC. */
  readonly timezone?: string | null | undefined;
  /** Whether the business has API access. Default true. */
  readonly apiAccess?: boolean | undefined;
  /** Tokens that may be created on one business day; null for no limit. Default null. */
  readonly dailyTokenLimit?: number | null | undefined;
  /** Whether simulations may serve the people in its queues. Default false. */
  readonly sandbox?: boolean | undefined;
  readonly services?: readonly SeedService[] | undefined;
  readonly queues?: readonly SeedQueue[] | undefined;
  readonly appointments?: readonly SeedAppointment[] | undefined;
  readonly keys?: readonly SeedKey[] | undefined;
}

export interface SeedService {
  /** The name for `mock.ids.service`, and for entries and appointments of the seed. */
  readonly ref?: string | undefined;
  readonly name: string;
  /** Whole currency units. Default null. */
  readonly price?: number | null | undefined;
  /** Minutes it usually takes; null when unknown. Default null. */
  readonly baseTimeMinutes?: number | null | undefined;
  /** Whether tokens can be issued for it and callers see it. Default true. */
  readonly active?: boolean | undefined;
}

export interface SeedQueue {
  /** The name for `mock.ids.queue`. */
  readonly ref?: string | undefined;
  readonly name: string;
  /** Letters before the number of each token. Default `A`. */
  readonly tokenSeries?: string | undefined;
  /** Default true; a creation on an inactive queue is refused with `queue_unavailable`. */
  readonly isActive?: boolean | undefined;
  /** Default false; a creation on a paused queue is refused with `queue_paused`. */
  readonly isTokenCreationPaused?: boolean | undefined;
  readonly entries?: readonly SeedEntry[] | undefined;
}

export interface SeedEntry {
  /** The name for `mock.ids.entry`. */
  readonly ref?: string | undefined;
  /** The customer's name. Default null. */
  readonly name?: string | null | undefined;
  /** The customer's phone number, 8 to 20 digits. Default null. */
  readonly phone?: string | null | undefined;
  /** The `ref` of a service of the same business. Default null. */
  readonly service?: string | null | undefined;
  /** Default `WAITING`. */
  readonly status?: Known<EntryStatus> | undefined;
  /** Default false. */
  readonly priority?: boolean | undefined;
  /** A day `YYYY-MM-DD`, or `today`, `today+1`, `today-1`. Default `today`. */
  readonly date?: string | undefined;
  /**
   * How many minutes ago the entry was issued. On an earlier day, counted from the current time of day on
   * that day. Default 0.
   */
  readonly minutesAgo?: number | undefined;
}

export interface SeedAppointment {
  /** The name for `mock.ids.appointment`. */
  readonly ref?: string | undefined;
  /** A day `YYYY-MM-DD`, or `today`, `today+1`, `today-1`. Default `today`. */
  readonly date?: string | undefined;
  /** `HH:MM` in the business's time zone. Default `10:30`. */
  readonly slotTime?: string | undefined;
  /** 1 to 1,440. Default 15. */
  readonly durationMinutes?: number | undefined;
  /** Default `CONFIRMED`. */
  readonly status?: Known<AppointmentStatus> | undefined;
  /** The `ref` of a service of the same business. Default null. */
  readonly service?: string | null | undefined;
  readonly customer?:
    | {
        readonly name?: string | null | undefined;
        readonly phone?: string | null | undefined;
      }
    | undefined;
  /** Default null. */
  readonly notes?: string | null | undefined;
}

/** The settings of an API key. */
export interface KeyOptions {
  /** 1 to 120 characters. */
  readonly name: string;
  /** At least one. */
  readonly scopes: readonly Known<Scope>[];
  /** Lifetime, 1 to 365 days. Default 90. */
  readonly days?: number | undefined;
  /** IPv4 addresses and ranges, and exact IPv6 addresses. An empty list allows all. Default empty. */
  readonly allowIps?: readonly string[] | undefined;
  /**
   * Requests in one window of a minute. Default 1,000,000, which no test reaches by accident; for `queue-api seed`,
   * 120.
   */
  readonly requestsPerMinute?: number | undefined;
  /**
   * POST requests in one window of a minute; each counts as a request too. Default 1,000,000; for `queue-api seed`,
   * 30.
   */
  readonly writesPerMinute?: number | undefined;
}

export interface SeedKey extends Omit<KeyOptions, "scopes"> {
  /** The name for `mock.key`. */
  readonly ref?: string | undefined;
  /** Default `queue:read` and `queue:write`. */
  readonly scopes?: readonly Known<Scope>[] | undefined;
  /** An instant such as `2026-11-21T04:30:00Z`, which may be in the past; overrides `days`. Default null. */
  readonly expiresAt?: string | null | undefined;
  /** Default false. */
  readonly revoked?: boolean | undefined;
}

/** A seed as TypeScript knows it in any place: in an imported JSON file, for example, a status is any string. */
export type AnySeed = Widened<SeedInput>;

type Widened<Value> = Value extends string
  ? string extends Value
    ? Value
    : Value | (string & {})
  : Value extends readonly (infer Item)[]
    ? readonly Widened<Item>[]
    : Value extends object
      ? { readonly [Field in keyof Value]: Widened<Value[Field]> }
      : Value;

/**
 * A seed in which an unknown field has the type `never`, and an unknown word the type of the known words. TypeScript
 * does not find these in type parameters.
 */
export type KnownFields<Given, Known = SeedInput> = Given extends readonly (infer Item)[]
  ? Known extends readonly (infer KnownItem)[]
    ? readonly KnownFields<Item, KnownItem>[]
    : never
  : Given extends object
    ? {
        [Field in keyof Given]: Field extends keyof Known
          ? KnownFields<Given[Field], NonNullable<Known[Field]>>
          : never;
      }
    : Given extends string
      ? string extends Given
        ? Given
        : Given extends Known
          ? Given
          : Known
      : Given;

type PartOf<Whole, Parts extends string> = Whole extends {
  readonly [Field in Parts]?: readonly (infer Part)[] | undefined;
}
  ? unknown extends Part // a field that is always absent
    ? never
    : Part
  : never;

type RefIn<Part> = Part extends { readonly ref?: infer Ref } ? Extract<Ref, string> : never;

/** With a seed of type `any`, the first part is true. */
type BusinessOf<Seed> = PartOf<0 extends 1 & Seed ? SeedInput : Seed, "businesses">;

/** The parts of a seed that can have a ref. */
export type RefKind = "services" | "queues" | "entries" | "appointments" | "keys";

/** The refs of one kind in a seed: the literal types if TypeScript knows them, else `string`. */
export type RefOf<Seed, Kind extends RefKind> = RefIn<
  Kind extends "entries"
    ? PartOf<PartOf<BusinessOf<Seed>, "queues">, "entries">
    : PartOf<BusinessOf<Seed>, Kind>
>;

/** The slugs of the businesses in a seed. */
export type SlugOf<Seed> =
  BusinessOf<Seed> extends { readonly slug: infer Slug extends string } ? Slug : never;

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
