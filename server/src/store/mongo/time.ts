import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";

/**
 * The store's time. It is the database's, because the clocks of the instances may differ. Between two readings
 * a monotonic clock carries it on, independently of the machine's clock.
 */
export interface StoreTime {
  readonly now: Clock;
  /** The time that expires long-lived records; see `SettledTime`. */
  readonly expiry: Clock;
  /** Reads the database's time. */
  readonly read: () => Promise<number>;
}

/** @param readDatabase Reads the time of the database; also shows that it responds. */
export function storeTime(
  readDatabase: () => Promise<number>,
  elapsed: Clock,
  clock: Clock | undefined,
): StoreTime {
  const settled = new SettledTime(elapsed);
  let ahead = 0;
  const now = clock ?? (() => Math.floor(ahead + elapsed()));
  const expiry = () => settled.at(now());
  if (clock) expiry(); // the first reading, without which a leap cannot be detected
  return {
    now,
    expiry,
    read: async () => {
      const sent = elapsed();
      const time = await readDatabase();
      ahead = time - (sent + elapsed()) / 2;
      expiry();
      return now();
    },
  };
}
