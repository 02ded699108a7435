import type { PendingAudit, Port, Tx, ViewTx } from "../store/port.js";

/**
 * An operation before it is bound to a database. `audit` is stored with what it writes.
 *
 * @public The declarations of the store refer to it.
 */
export type Operation<Args extends unknown[], Result> = (
  port: Port,
  audit: PendingAudit | null,
) => (...args: Args) => Promise<Result>;

/** An operation that only reads. */
export function view<Args extends unknown[], Result>(
  read: (tx: ViewTx, ...args: Args) => Promise<Result>,
): Operation<Args, Result> {
  return (port) =>
    (...args) =>
      port.read((tx) => read(tx, ...args));
}

/** How often an operation runs after others that it needs. Without damage to the database, a few times are enough. */
const maxRuns = 60;

/**
 * An operation that writes at most one record. `mutex`: those with the same text run one after the other in a
 * process. Default: null, none.
 */
export function change<Args extends unknown[], Result>(
  run: (tx: Tx, ...args: Args) => Promise<Result>,
  mutex: (...args: Args) => string | null = () => null,
): Operation<Args, Result> {
  return (port, audit) =>
    async (...args) => {
      for (let runs = 1; ; runs++) {
        try {
          return await port.run((tx) => run(tx, ...args), { audit, mutex: mutex(...args) });
        } catch (error) {
          if (!(error instanceof RunFirst) || runs === maxRuns) throw error;
          await port.run(error.run, { mutex: error.mutex });
        }
      }
    };
}

/** Thrown by an operation that must run again, after another one that it needs. {@link change} then runs both. */
export class RunFirst extends Error {
  override readonly name = "RunFirst";

  /** `mutex`: as in {@link change}. */
  constructor(
    readonly run: (tx: Tx) => Promise<void>,
    readonly mutex: string | null = null,
  ) {
    super("another operation runs first");
  }
}
