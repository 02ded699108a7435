import type { Clock, Random } from "../rules/ports.js";
import type { Adapter } from "./port.js";

/** What a store needs from its caller. */
export interface StoreOptions {
  /**
   * The time of windows and expiry. Default: the clock of this machine, or of the database server if
   * there is one. Tests pass a clock that they can move.
   */
  readonly clock?: Clock;
  /**
   * Milliseconds elapsed, by a monotonic clock. If the other clock leaps ahead of it, nothing expires.
   * Default: the machine's monotonic clock, or `clock` if it is given.
   */
  readonly elapsed?: Clock;
  /** For the ids that order records, and for the pauses between two runs of an operation. */
  readonly random: Random;
  /**
   * Whether to create missing indexes before the database is used. `always` suits a server at startup.
   * `when empty`, the default, does not change a database that contains data. `never` changes no database. An
   * index that is then missing is an error. A new SQLite file gets its tables in any case.
   */
  readonly prepare?: "always" | "when empty" | "never";
  /**
   * Whether to create a database that does not exist, and the folder of a file. Default true. If false, a missing
   * database is an error, so that a mistyped name is reported and does not become an empty database.
   */
  readonly create?: boolean;
  /**
   * Whether operations on a SQLite file run in a thread of their own, so that the event loop never waits for the disk.
   * Views do not: they wait for no disk. Operations in a thread have the clock of this machine, whatever `clock` is.
   * Default false: for a short-lived program, starting a thread takes too long.
   */
  readonly threads?: boolean;
  /**
   * Whether to open a database that is the target of an unfinished copy. Default false: such a database is
   * refused, because it is not complete.
   */
  readonly forCopy?: boolean;
}

/** A database that was opened, and its time: that of the machine or of the server, unless another clock was given. */
export interface Opened {
  readonly adapter: Adapter;
  readonly clock: Clock;
}
