import { StoreOpenError, StoreUnavailableError } from "../../errors.js";

/*
 * The messages between the main thread and the threads of the store. Records are sent as JSON text, which is
 * cheaper than the copies of objects that `postMessage` makes. Bytes are sent unchanged.
 */

/** One call of an operation, such as `entries.get`. */
export interface Call {
  readonly id: number;
  readonly operation: string;
  readonly given: readonly unknown[];
}

/** The calls of one turn of the main thread's event loop. */
export interface Calls {
  readonly calls: readonly Call[];
  /** The values of the caller's clocks. Null if the thread reads the system's clocks itself. */
  readonly times: Times | null;
}

/** The time, and the elapsed time of a monotonic clock. */
export interface Times {
  readonly now: number;
  readonly elapsed: number;
}

/** The result of a call. */
export type Reply =
  | { readonly id: number; readonly result?: unknown }
  | { readonly id: number; readonly error: SentError };

/** The replies of one turn of a thread's event loop, as they are sent. */
export interface SentReplies {
  /** The replies as JSON, without the results that are bytes. */
  readonly text: string;
  /** Those results, each after the id of its call. */
  readonly bytes: readonly (number | Uint8Array)[];
}

export function sentReplies(replies: readonly Reply[]): SentReplies {
  const bytes: (number | Uint8Array)[] = [];
  const others = replies.filter((reply) => {
    if (!("result" in reply && reply.result instanceof Uint8Array)) return true;
    bytes.push(reply.id, reply.result);
    return false;
  });
  return { text: JSON.stringify(others), bytes };
}

export function receivedReplies({ text, bytes }: SentReplies): Reply[] {
  const replies = JSON.parse(text) as Reply[];
  for (let i = 0; i < bytes.length; i += 2) {
    replies.push({ id: bytes[i] as number, result: bytes[i + 1] });
  }
  return replies;
}

/** An error as plain data. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: unknown;
  readonly cause: SentError | null;
}

/** The errors of the port. */
const errorClasses = { StoreUnavailableError, StoreOpenError };

export function sentError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { name, message, stack, code, cause: cause === undefined ? null : sentError(cause) };
}

/** The error that the other thread threw, with its class if it is an error of the port. */
export function receivedError({ name, message, stack, code, cause }: SentError): Error {
  const error = new Error(message, cause ? { cause: receivedError(cause) } : undefined);
  const { prototype } = errorClasses[name as keyof typeof errorClasses] ?? Error;
  Object.setPrototypeOf(error, prototype);
  return Object.assign(error, { name, stack, ...(code !== undefined && { code }) });
}
