/** A clock that stands still until a test moves it. */
export class MovableClock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  /** The clock in the form that the service accepts. */
  readonly read = (): number => this.#now;

  set(instant: number): void {
    this.#now = instant;
  }

  advance({ days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }): void {
    this.#now += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  }
}

/** The default start time of every test: Saturday, 10:00 in India. */
export const morning = Date.UTC(2026, 10, 21, 4, 30);
