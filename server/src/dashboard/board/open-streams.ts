import type { Logger } from "pino";
import { PageRefusal } from "../errors.js";
import { notifyEach } from "../notify-each.js";

/** A stream that this module can end. */
export interface OpenStream {
  /** A newer stream of the same session has replaced it. */
  displaced(): void;
  /** The service is stopping. */
  stopped(): void;
}

/** How many streams may be open at once. */
export interface StreamLimits {
  /** Per session. */
  readonly ofSession: number;
  /** Per process. */
  readonly ofAll: number;
}

/** Far more than one person views, and than one process needs. Each stream takes about 60 KB. */
const usualLimits: StreamLimits = { ofSession: 20, ofAll: 2_000 };

/** After how many seconds a refused browser may try again. */
const retrySeconds = 5;

/** The open streams of this process, by session. Enforces the limits, and refuses streams after a stop. */
export class OpenStreams {
  readonly #stopping: AbortSignal;
  readonly #limits: StreamLimits;
  readonly #bySession = new Map<string, Set<OpenStream>>();
  #count = 0;

  /** `stopping`: aborted when the service begins to stop. */
  constructor(
    stopping: AbortSignal,
    logger: Pick<Logger, "error">,
    limits: StreamLimits = usualLimits,
  ) {
    this.#stopping = stopping;
    this.#limits = limits;
    stopping.addEventListener("abort", () => {
      const all = [...this.#bySession.values()].flatMap((streams) => [...streams]);
      notifyEach(all, (stream) => stream.stopped(), logger);
    });
  }

  /**
   * Registers a stream until the returned function is called. If its session has too many, the oldest of
   * them is displaced.
   *
   * @throws PageRefusal 503 when the process has too many, or is stopping
   */
  add(sessionId: string, stream: OpenStream): () => void {
    if (this.#stopping.aborted) throw notNow("This server is about to stop.");
    const [oldest, ...others] = this.#bySession.get(sessionId) ?? [];
    if (oldest && others.length + 1 >= this.#limits.ofSession) {
      this.#remove(sessionId, oldest);
      oldest.displaced();
    }
    if (this.#count >= this.#limits.ofAll) throw notNow("Too many boards are open on this server.");
    const streams = this.#bySession.get(sessionId) ?? new Set();
    this.#bySession.set(sessionId, streams.add(stream));
    this.#count++;
    return () => this.#remove(sessionId, stream);
  }

  #remove(sessionId: string, stream: OpenStream): void {
    const streams = this.#bySession.get(sessionId);
    if (!streams?.delete(stream)) return;
    if (streams.size === 0) this.#bySession.delete(sessionId);
    this.#count--;
  }
}

function notNow(reason: string): PageRefusal {
  const advice = `${reason} The board tries again by itself.`;
  return new PageRefusal(503, "Not live for now", advice, retrySeconds);
}
