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

/**
 * An operation that writes at most one record. `mutex`: those with the same text run one after the other in a
 * process. Default: null, none.
 */
export function change<Args extends unknown[], Result>(
  run: (tx: Tx, ...args: Args) => Promise<Result>,
  mutex: (...args: Args) => string | null = () => null,
): Operation<Args, Result> {
  return (port, audit) =>
    (...args) =>
      port.run((tx) => run(tx, ...args), { audit, mutex: mutex(...args) });
}
