import type { Clock } from "../rules/ports.js";

/*
 * The time of a story is the number of milliseconds of opening hours since the first morning. Nights do not count, so
 * the business is always open.
 */

export const minute = 60_000;
const hour = 60 * minute;

const opensAt = 9 * hour;

/** The opening hours of each day, in milliseconds: from 09:00 to 21:00. */
export const dayLength = 12 * hour;

/** The load of each opening hour: customers who arrive, as a share of the customers who can be served. */
const loads = [1, 1.3, 1.35, 1.05, 0.75, 0.6, 0.6, 0.8, 1.15, 1.35, 1.2, 0.85] as const;

/** The highest load of a day. */
export const highestLoad = Math.max(...loads);

/** The load at a time of the story. */
export function loadAt(at: number): number {
  return loads[Math.floor((at % dayLength) / hour)] ?? 1;
}

/** A day and a time of day in the story. */
export interface WallTime {
  /** 1 is the first day. */
  readonly day: number;
  /** `HH:MM` */
  readonly time: string;
}

/** The day and the time of day at a time of the story. */
export function wallTime(at: number): WallTime {
  const minutes = Math.floor((opensAt + (at % dayLength)) / minute);
  const pad = (number: number) => String(number).padStart(2, "0");
  return { day: dayOf(at), time: `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}` };
}

/** The day of a time of the story; 1 is the first. */
export function dayOf(at: number): number {
  return Math.floor(at / dayLength) + 1;
}

/**
 * Converts a time of day to a time of the story, on the same day as `at`. A time outside the opening hours becomes the
 * nearest time within them.
 */
export function timeOnDayOf(at: number, timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  const sinceOpening = hours * hour + minutes * minute - opensAt;
  return at - (at % dayLength) + Math.min(Math.max(0, sinceOpening), dayLength - minute);
}

/** Waits. Resolves early when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Keeps a story at its speed. A delay moves all later events; the story does not run faster to catch up.
 */
export class Pace {
  readonly #speed: number;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  #storyAt = 0;
  /** The time of the clock at which the story reaches `#storyAt`. */
  #dueAt = 0;
  #heldUp = 0;

  /** @param speed How many times faster than the clock the story's time passes. */
  constructor(speed: number, clock: Clock, sleep: Sleep) {
    this.#speed = speed;
    this.#clock = clock;
    this.#sleep = sleep;
  }

  /** Starts the story's time. */
  begin(): void {
    this.#dueAt = this.#clock();
  }

  /** The total delay of the story so far, in milliseconds. */
  get heldUp(): number {
    return this.#heldUp;
  }

  /** Waits until the story may reach a time. */
  async reach(at: number, signal: AbortSignal): Promise<void> {
    const step = (at - this.#storyAt) / this.#speed;
    const now = this.#clock();
    this.#storyAt = at;
    this.#dueAt += step;
    if (this.#dueAt > now) {
      // At most the length of the step, in case the clock was set back.
      await this.#sleep(Math.min(this.#dueAt - now, step), signal);
      this.#dueAt = Math.min(this.#dueAt, now + step);
    } else {
      this.#heldUp += now - this.#dueAt;
      this.#dueAt = now;
    }
  }
}
