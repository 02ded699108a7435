import fc from "fast-check";
import type { Store } from "../../../server/src/operations/store.js";
import type { TestClock } from "./adapters.js";
import {
  advice,
  back,
  chair,
  clinic,
  consult,
  front,
  haircut,
  id,
  kiosk,
  mirror,
  retired,
  salon,
  today,
  tomorrow,
} from "./records.js";

/** The records that a sequence of operations has created so far. Each compared store has its own. */
export interface Run {
  readonly store: Store;
  readonly clock: TestClock;
  /** The number of businesses that were imported. */
  imports: number;
  /** Numbers the created records, so that ids are the same on every store. */
  made: number;
}

/** One operation of a sequence. Its result must be the same on every store. */
export interface Operation {
  readonly run: (on: Run) => Promise<unknown>;
  readonly toString: () => string;
}

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const businessIds = fc.constantFrom(clinic.id, salon.id, id("spa0"), id("nobody"));
/** The businesses that exist in each sequence. */
export const ownBusinessIds = fc.constantFrom(clinic.id, clinic.id, salon.id);
export const queueIds = fc.constantFrom(
  front.id,
  back.id,
  chair.id,
  id("tub0"),
  id("queue3"),
  id("noqueue"),
);
export const dates = fc.constantFrom(today, tomorrow);
export const serviceIds = fc.constantFrom(consult.id, advice.id, retired.id, haircut.id, null);
export const keyIds = fc.constantFrom(kiosk.id, mirror.id, id("key3"), id("nokey"));
export const names = fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }));
export const numbers = fc.nat({ max: 11 });
export const entryIds = numbers.map((n) => id(`made${n}`));
export const appointmentIds = numbers.map((n) => id(`visit${n % 4}`));
export const addresses = fc.constantFrom("203.0.113.7", "198.51.100.1");

/** An operation and its description for a failed sequence. */
export function operation<Values extends unknown[]>(
  name: string,
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  run: (on: Run, ...values: Values) => Promise<unknown>,
): fc.Arbitrary<Operation> {
  return fc.tuple<Values>(...values).map((chosen) => ({
    run: (on) => run(on, ...chosen),
    toString: () => `${name}(${fc.stringify(chosen)})`,
  }));
}
