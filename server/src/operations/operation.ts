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

/** How often an operation runs at most. In a database that is not damaged, a few times are enough. */
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
          if (!(error instanceof RunAgain) || runs === maxRuns) throw error;
          if (error.first) await port.run(error.first, { mutex: error.mutex });
        }
      }
    };
}

/** Thrown by an operation that must run again. {@link change} runs it up to {@link maxRuns} times. */
export class RunAgain extends Error {
  override readonly name = "RunAgain";

  /** `first`: an operation that runs before it. Default: null, none. `mutex`: that of `first`, as in {@link change}. */
  constructor(
    readonly first: ((tx: Tx) => Promise<void>) | null = null,
    readonly mutex: string | null = null,
  ) {
    super("the operation must run again");
  }
}
