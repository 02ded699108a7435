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
  /** Per business, so that one business leaves room for the others. */
  readonly ofBusiness: number;
  /** Per process. */
  readonly ofAll: number;
}

/** Far more than one person or one business views. Each stream takes about 60 KB. */
const usualLimits: StreamLimits = { ofSession: 20, ofBusiness: 200, ofAll: 2_000 };

/** After how many seconds a refused browser may try again. */
const retrySeconds = 5;

/** Who follows a stream: the ids of a session and of its business. */
interface Viewer {
  readonly session: string;
  readonly business: string;
}

/** The open streams of this process. Enforces the limits, and refuses streams after a stop. */
export class OpenStreams {
  readonly #stopping: AbortSignal;
  readonly #limits: StreamLimits;
  /** The oldest first. */
  readonly #open = new Map<OpenStream, Viewer>();

  /** `stopping`: aborted when the service begins to stop. */
  constructor(
    stopping: AbortSignal,
    logger: Pick<Logger, "error">,
    limits: StreamLimits = usualLimits,
  ) {
    this.#stopping = stopping;
    this.#limits = limits;
    stopping.addEventListener("abort", () => {
      notifyEach([...this.#open.keys()], (stream) => stream.stopped(), logger);
    });
  }

  /**
   * Registers a stream until the returned function is called. If its session has too many, the oldest of
   * them is displaced.
   *
   * @throws PageRefusal 503 when its business or the process has too many, or is stopping
   */
  add(viewer: Viewer, stream: OpenStream): () => void {
    if (this.#stopping.aborted) throw notNow("This server is about to stop.");
    const { ofSession, ofBusiness, ofAll } = this.#limits;
    const [oldest, ...others] = this.#of("session", viewer);
    if (oldest && others.length + 1 >= ofSession) {
      this.#open.delete(oldest);
      oldest.displaced();
    }
    if (this.#open.size >= ofAll) throw notNow("Too many boards are open on this server.");
    if (this.#of("business", viewer).length >= ofBusiness) {
      throw notNow("Too many boards of this business are open on this server.");
    }
    this.#open.set(stream, viewer);
    return () => void this.#open.delete(stream);
  }

  #of(part: keyof Viewer, viewer: Viewer): OpenStream[] {
    const same = [...this.#open].filter(([, one]) => one[part] === viewer[part]);
    return same.map(([stream]) => stream);
  }
}

function notNow(reason: string): PageRefusal {
  const advice = `${reason} The board tries again by itself.`;
  return new PageRefusal(503, "Not live for now", advice, retrySeconds);
}
