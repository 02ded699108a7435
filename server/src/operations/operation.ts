import type { PendingAudit, Port, Tx, ViewTx } from "../store/port.js";

/**
 * An operation before it is bound to a database. `audit` is stored with what it writes.
 *
 * @public The type of the store names it.
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

interface ChangeOptions<Args extends unknown[]> {
  /** Operations of the same turn do not run at the same time in one process. Default: none. */
  readonly turn?: (...args: Args) => string;
  /** Whether an audit row rides in what it writes. Default true. */
  readonly isAudited?: boolean;
}

/** An operation that writes at most one record. */
export function change<Args extends unknown[], Result>(
  run: (tx: Tx, ...args: Args) => Promise<Result>,
  { turn, isAudited = true }: ChangeOptions<Args> = {},
): Operation<Args, Result> {
  return (port, audit) =>
    (...args) =>
      port.run((tx) => run(tx, ...args), {
        audit: isAudited ? audit : null,
        turn: turn?.(...args) ?? null,
      });
}
