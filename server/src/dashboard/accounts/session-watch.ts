import type { Logger } from "pino";
import { notifyEach } from "../notify-each.js";
import type { Time } from "../time.js";

/** How often the store is asked whether a session is still valid, while a response is held open for it. */
const beatEveryMs = 2_000;

/** The session that a request came with. */
export interface Session {
  /** Hash of its token. */
  readonly id: string;
  readonly ownerId: string;
}

/** An owner of a response that stays open as long as its session is valid. */
export interface SessionHolder {
  /** The session is still valid. Called every two seconds. */
  beat(): void;
  /** The session has ended. The holder must not send anything more. */
  sessionEnded(): void;
  /** It is unknown whether the session is still valid, because the store does not respond. */
  lost(): void;
}

/** A session with open responses. */
interface Held {
  readonly session: Session;
  readonly holders: Set<SessionHolder>;
  stopWaiting: () => void;
}

/** The dependencies of the watch. */
interface SessionWatchDeps {
  /** Looks up a session by its id; null when it has ended. */
  readonly store: { readonly sessions: { get(id: string): Promise<object | null> } };
  readonly logger: Pick<Logger, "warn" | "error">;
  readonly time: Time;
}

/**
 * Notifies the holders of open responses when their session ends: at once if this process ends it, else
 * within one beat. One store query serves all responses of a session.
 */
export class SessionWatch {
  readonly #deps: SessionWatchDeps;
  readonly #held = new Map<string, Held>();

  constructor(deps: SessionWatchDeps) {
    this.#deps = deps;
  }

  /** Notifies a holder of a valid session until the returned function is called or the session ends. */
  hold(session: Session, holder: SessionHolder): () => void {
    const held = this.#held.get(session.id) ?? this.#begin(session);
    held.holders.add(holder);
    return () => {
      held.holders.delete(holder);
      if (held.holders.size === 0) this.#forget(held);
    };
  }

  /** Reports that a session has just ended. */
  ended(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#forget(held);
    notifyEach(held.holders, (holder) => holder.sessionEnded(), this.#deps.logger);
  }

  /** Reports that all sessions of an owner have just ended. */
  allEnded(ownerId: string): void {
    for (const { session } of this.#held.values()) {
      if (session.ownerId === ownerId) this.ended(session.id);
    }
  }

  #begin(session: Session): Held {
    const held = { session, holders: new Set<SessionHolder>(), stopWaiting: () => {} };
    this.#held.set(session.id, held);
    this.#wait(held);
    return held;
  }

  #wait(held: Held): void {
    held.stopWaiting = this.#deps.time.after(beatEveryMs, () => {
      this.#ask(held).catch((error: unknown) => {
        const { logger } = this.#deps;
        logger.warn({ err: error }, "boards are not live: the sessions cannot be read");
        this.#forget(held);
        notifyEach(held.holders, (holder) => holder.lost(), logger);
      });
    });
  }

  async #ask(held: Held): Promise<void> {
    const { id } = held.session;
    const runs = (await this.#deps.store.sessions.get(id)) !== null;
    if (this.#held.get(id) !== held) return; // ended or released in the meantime
    if (!runs) return this.ended(id);
    this.#wait(held);
    const failed = notifyEach(held.holders, (holder) => holder.beat(), this.#deps.logger);
    notifyEach(failed, (holder) => holder.lost(), this.#deps.logger);
  }

  #forget(held: Held): void {
    held.stopWaiting();
    if (this.#held.get(held.session.id) === held) this.#held.delete(held.session.id);
  }
}
