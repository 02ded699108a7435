import type { Clock } from "../rules/ports.js";

/*
 * A story knows no nights: its time counts the milliseconds for which the doors have been open since the
 * first morning, so that somebody who looks always sees a place at work.
 */

export const minute = 60_000;
const hour = 60 * minute;

const opensAt = 9 * hour;

/** How long the doors are open each day: from nine to nine. */
export const dayLength = 12 * hour;

/** How busy each open hour is: the people that come, as a share of those that can be served. */
const loads = [1, 1.3, 1.35, 1.05, 0.75, 0.6, 0.6, 0.8, 1.15, 1.35, 1.2, 0.85] as const;

/** The busiest that it gets. */
export const highestLoad = Math.max(...loads);

/** How busy it is at a time of the story. */
export function loadAt(at: number): number {
  return loads[Math.floor((at % dayLength) / hour)] ?? 1;
}

/** What the clock on the wall shows. */
export interface WallTime {
  /** 1 is the first day. */
  readonly day: number;
  /** `HH:MM` */
  readonly time: string;
}

/** What the clock on the wall shows at a time of the story. */
export function wallTime(at: number): WallTime {
  const minutes = Math.floor((opensAt + (at % dayLength)) / minute);
  const pad = (number: number) => String(number).padStart(2, "0");
  return { day: dayOf(at), time: `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}` };
}

/** The day of a time of the story; 1 is the first. */
export function dayOf(at: number): number {
  return Math.floor(at / dayLength) + 1;
}

/** When the clock shows a time of day, on the day of a time of the story. Outside the hours: at their edge. */
export function timeOnDayOf(at: number, timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  const sinceOpening = hours * hour + minutes * minute - opensAt;
  return at - (at % dayLength) + Math.min(Math.max(0, sinceOpening), dayLength - minute);
}

/** Waits. Resolves early when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Keeps a story at its speed. After a delay the story continues from there, and does not run faster to catch up.
 */
export class Pace {
  readonly #speed: number;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  #storyAt = 0;
  /** When the story reaches, or reached, that time. */
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
      // At most the step itself, in case the clock was set back.
      await this.#sleep(Math.min(this.#dueAt - now, step), signal);
      this.#dueAt = Math.min(this.#dueAt, now + step);
    } else {
      this.#heldUp += now - this.#dueAt;
      this.#dueAt = now;
    }
  }
}
