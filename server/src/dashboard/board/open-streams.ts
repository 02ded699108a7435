import type { Logger } from "pino";
import { PageRefusal } from "../errors.js";
import { tellEach } from "../tell-each.js";

/** A stream as those see it who end it. */
export interface OpenStream {
  /** A newer one of its session has taken its place. */
  displaced(): void;
  /** The service stops. */
  stopped(): void;
}

/** How many streams may be open at once. */
export interface StreamLimits {
  /** Of one session. */
  readonly ofSession: number;
  /** Through this process. */
  readonly ofAll: number;
}

/** Far more than somebody looks at, and than a process has use for; each takes some 60 KB. */
const usualLimits: StreamLimits = { ofSession: 20, ofAll: 2_000 };

/** In how many seconds a browser that found no place may try again. */
const retrySeconds = 5;

/** The streams that are open through this process, by their sessions: few enough, and none after a stop. */
export class OpenStreams {
  readonly #stopping: AbortSignal;
  readonly #limits: StreamLimits;
  readonly #bySession = new Map<string, Set<OpenStream>>();
  #count = 0;

  /** `stopping`: aborted when the service stops. */
  constructor(
    stopping: AbortSignal,
    logger: Pick<Logger, "error">,
    limits: StreamLimits = usualLimits,
  ) {
    this.#stopping = stopping;
    this.#limits = limits;
    stopping.addEventListener("abort", () => {
      const all = [...this.#bySession.values()].flatMap((streams) => [...streams]);
      tellEach(all, (stream) => stream.stopped(), logger);
    });
  }

  /**
   * Takes a stream in, until what it returns is called. Where its session has too many, the oldest of
   * them makes room.
   *
   * @throws PageRefusal 503 when the process has too many, or stops
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
