import { setTimeout } from "node:timers/promises";
import type { SignInDoc } from "./collections/sign-ins.js";
import type { Collection } from "./connection.js";

/** The age at which the list is read again in the background. */
const refreshAfterMs = 500;

/**
 * The maximum age of the list. A request that finds an older one waits for a new one. So this is also the
 * time until every instance knows a new bar.
 */
const staleAfterMs = 1_000;

/** A bar may become visible after later ones, so each read looks back this far. */
const lookBackMs = 10_000;

/** When a bar is forgotten, in elapsed time: twice the length of the longest window. */
const forgetAfterMs = 1_200_000;

/**
 * The subjects that may be barred for failed sign-ins, so that a valid key needs no second command to check.
 * The list may be out of date: the window itself is read before a request is refused.
 *
 * The other instances learn of a new bar after a short time. An instance that learns of a bar waits for this
 * time before it responds, so every instance refuses a request that is sent after the response.
 */
export class Bars {
  readonly #signIns: Collection<SignInDoc>;
  /** The time from which every instance knows of a subject's bar. */
  readonly #settled = new Map<string, { readonly at: number; readonly wait: Promise<void> }>();
  #newest = 0;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  constructor(signIns: Collection<SignInDoc>) {
    this.#signIns = signIns;
  }

  /** Whether a subject may be barred. */
  async suspects(subject: string): Promise<boolean> {
    const age = performance.now() - this.#refreshedAt;
    if (age > staleAfterMs) await this.#refresh();
    // an error is reported when the list is too old
    else if (age > refreshAfterMs) this.#refresh().catch(() => {});
    return this.#settled.has(subject);
  }

  /** Records that a subject is barred, and waits until every instance knows. */
  async learn(subject: string): Promise<void> {
    await this.#note(subject).wait;
  }

  /** Records that a subject is no longer barred. */
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
      if (began - at < forgetAfterMs) break; // the map is ordered by the time of the records
      this.#settled.delete(subject);
    }
    this.#refreshedAt = began;
  }
}
