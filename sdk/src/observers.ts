import { ApiError, QueueApiError } from "./errors.js";
import type { Hooks, WaitEvent } from "./hooks.js";
import type { Log } from "./logger.js";

/** The end of a call. */
export interface CallEnd {
  /** Null if nothing was sent. */
  readonly callId: number | null;
  readonly operation: string;
  readonly attempts: number;
  readonly durationMs: number;
}

/** Notifies the hooks of a client, and writes its log. */
export class Observers {
  readonly #hooks: readonly Hooks[];
  readonly #log: Log | null;

  constructor(hooks: readonly Hooks[], log: Log | null) {
    this.#hooks = log ? [...hooks, { onResponse: (event) => log.attempt(event) }] : hooks;
    this.#log = log;
  }

  /** Whether there are no observers, so that events need not be created. */
  get none(): boolean {
    return this.#hooks.length === 0;
  }

  /** Logs a successful call. */
  succeeded(call: CallEnd, status: number, requestId: string | null): void {
    const durationMs = Math.round(call.durationMs);
    const fields = { ...call, durationMs, status, requestId };
    this.#log?.write("info", `${call.operation}: ${status} in ${durationMs} ms`, fields);
  }

  /** Logs a failed call. The thrown value may come from a custom `fetch`, and be anything. */
  failed(call: CallEnd, thrown: unknown): void {
    const known = thrown instanceof QueueApiError ? thrown : null;
    const {
      status = null,
      code = null,
      requestId = null,
    } = thrown instanceof ApiError ? thrown : {};
    this.#log?.write(
      known?.isRetryable ? "error" : "info",
      known?.message ?? `${call.operation} failed`,
      {
        ...call,
        durationMs: Math.round(call.durationMs),
        ...{ error: kindOf(thrown), status, code, requestId },
      },
    );
  }

  /** Tells the hooks and the log of a wait. `why`: a sentence for the log. */
  waits(event: WaitEvent, why: string): void {
    this.notify("onWait", event);
    this.#log?.wait(event, why);
  }

  notify<Name extends keyof Hooks>(
    name: Name,
    event: Parameters<NonNullable<Hooks[Name]>>[0],
  ): void {
    for (const hooks of this.#hooks) {
      try {
        (hooks[name] as ((event: unknown) => void) | undefined)?.(event);
      } catch (error) {
        this.#log?.write("warn", `the hook ${name} failed`, { error: kindOf(error) });
      }
    }
  }
}

/** The name of a thrown value in a log line. Never its message, which may contain anything. */
function kindOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
