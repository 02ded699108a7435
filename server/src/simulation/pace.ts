import type { Clock } from "../rules/ports.js";

/** Lets time pass; settles at once when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Keeps a story at its speed. Where the story is held up, it goes on from there: it is told later, not
 * faster.
 */
export class Pace {
  readonly #speed: number;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  #storyAt = 0;
  /** When the story should have come, or came, to that time. */
  #dueAt = 0;
  #heldUp = 0;

  /** @param speed How many times faster than the clock the story's time passes. */
  constructor(speed: number, clock: Clock, sleep: Sleep) {
    this.#speed = speed;
    this.#clock = clock;
    this.#sleep = sleep;
  }

  /** Lets the story's time begin. */
  begin(): void {
    this.#dueAt = this.#clock();
  }

  /** For how long the story was held up so far, in milliseconds. */
  get heldUp(): number {
    return this.#heldUp;
  }

  /** Waits until the story may come to a time. */
  async reach(at: number, signal: AbortSignal): Promise<void> {
    const step = (at - this.#storyAt) / this.#speed;
    const now = this.#clock();
    this.#storyAt = at;
    this.#dueAt += step;
    if (this.#dueAt > now) {
      // No longer than the step itself, should the clock have been put back.
      await this.#sleep(Math.min(this.#dueAt - now, step), signal);
      this.#dueAt = Math.min(this.#dueAt, now + step);
    } else {
      this.#heldUp += now - this.#dueAt;
      this.#dueAt = now;
    }
  }
}
