import { setTimeout } from "node:timers/promises";
import type { SignInDoc } from "./collections/sign-ins.js";
import type { Collection } from "./connection.js";

/** After how long the list is read again, in the background while it is used. */
const refreshAfterMs = 500;

/**
 * How old the list may be. Who asks for an older one waits for a new one, so this is also how long a
 * bar takes to be known to every instance.
 */
const staleAfterMs = 1_000;

/** Bars may become visible a little after later ones: how far back each reading looks again. */
const lookBackMs = 10_000;

/** When an entry is forgotten, in real time: twice as long as any window. */
const forgetAfterMs = 1_200_000;

/**
 * The addresses that may be barred for failed sign-ins, so that a good key costs no second command to
 * find that out. It is only a suspicion: the window itself is read before a request is refused.
 *
 * A bar that one instance makes is known to the others a moment later. An instance that learns
 * of a bar waits that moment before it answers: a request that is sent after that answer is refused by
 * every instance.
 */
export class Bars {
  readonly #signIns: Collection<SignInDoc>;
  /** When every instance knows of a subject's bar. */
  readonly #settled = new Map<string, { readonly at: number; readonly wait: Promise<void> }>();
  #newest = 0;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  constructor(signIns: Collection<SignInDoc>) {
    this.#signIns = signIns;
  }

  /** Whether an address may be barred. */
  async suspects(subject: string): Promise<boolean> {
    const age = performance.now() - this.#refreshedAt;
    if (age > staleAfterMs) await this.#refresh();
    else if (age > refreshAfterMs) this.#refresh().catch(() => {}); // reported when the list is stale
    return this.#settled.has(subject);
  }

  /** Notes that an address is barred, and waits until every instance knows. */
  async learn(subject: string): Promise<void> {
    await this.#note(subject).wait;
  }

  /** Notes that an address is not barred any more. */
  forget(subject: string): void {
    this.#settled.delete(subject);
  }

  #note(subject: string) {
    const known = this.#settled.get(subject);
    if (known) return known;
    const noted = {
      at: performance.now(),
      wait: setTimeout(staleAfterMs),
    };
    this.#settled.set(subject, noted);
    return noted;
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #read(): Promise<void> {
    const began = performance.now();
    const closed = await this.#signIns.model
      .find({ closedAt: { $gt: this.#newest - lookBackMs } }, { closedAt: 1 })
      .lean();
    for (const { _id, closedAt } of closed) {
      this.#note(_id);
      this.#newest = Math.max(this.#newest, closedAt ?? 0);
    }
    for (const [subject, { at }] of this.#settled) {
      if (began - at < forgetAfterMs) break; // in the order in which they were noted
      this.#settled.delete(subject);
    }
    this.#refreshedAt = began;
  }
}
