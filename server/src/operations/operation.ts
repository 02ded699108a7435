import type { PendingAudit, Port, RunOptions, Tx, ViewTx } from "../store/port.js";

/**
 * An operation before it is bound to a database. `audit` is stored with what it writes.
 *
 * @public The declarations of the store refer to it.
 */
export interface Operation<Args extends unknown[], Result> {
  (port: Port, audit: PendingAudit | null): (...args: Args) => Promise<Result>;
  /** Whether it only reads. Default false. */
  readonly isView?: boolean;
}

/** An operation that only reads. */
export function view<Args extends unknown[], Result>(
  read: (tx: ViewTx, ...args: Args) => Promise<Result>,
): Operation<Args, Result> {
  const bind: Operation<Args, Result> =
    (port) =>
    (...args) =>
      port.read((tx) => read(tx, ...args));
  return Object.assign(bind, { isView: true });
}

interface ChangeOptions<Args extends unknown[]> extends Pick<RunOptions, "isDurable"> {
  /** Those with the same text run one after the other in a process. Default: none. */
  readonly mutex?: (...args: Args) => string;
}

/** An operation that writes at most one record. */
export function change<Args extends unknown[], Result>(
  run: (tx: Tx, ...args: Args) => Promise<Result>,
  { mutex, ...options }: ChangeOptions<Args> = {},
): Operation<Args, Result> {
  return (port, audit) =>
    (...args) =>
      port.run((tx) => run(tx, ...args), { ...options, audit, mutex: mutex?.(...args) ?? null });
}
