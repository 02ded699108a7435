import type { Dice } from "../lib/seeded-random.js";
import type { Booking } from "./booking.js";
import { type Guest, meanWork, newcomer, type Offer, type Person } from "./guest.js";
import { highestLoad, loadAt, minute } from "./opening-hours.js";

/** How much a line of so many draws people in, or puts them off. Nobody joins a longer one. */
const appeal = [2.5, 1.6, 1.2, 1, 1, 1, 1, 0.7, 0.5, 0.35, 0.25, 0.2] as const;

const highestAppeal = Math.max(...appeal);

/** What there is between two people. */
const changeover = minute;

/** One queue in the story, with the one who serves there. */
export class Station {
  readonly id: string;
  /** Whether people are let in. */
  open = false;
  /** Those who wait, in the order in which they will be called. */
  line: readonly Guest[] = [];
  readonly serving = new Map<string, Guest>();
  /** Appointments whose people are here. */
  checkedIn: readonly Booking[] = [];
  readonly attending = new Map<string, Booking>();
  /** Whether the next call is noted in the agenda. */
  callIsDue = false;
  readonly dice: Dice;
  readonly #arrivals: Dice;
  /** What people come for; empty for nothing that has a name. */
  offers: readonly Offer[] = [];
  #candidates = 0;

  constructor(id: string, dice: Dice) {
    this.id = id;
    this.dice = dice;
    this.#arrivals = dice.of("arrivals");
  }

  get isBusy(): boolean {
    return this.serving.size + this.attending.size > 0;
  }

  /** How long until the next person thinks of coming. */
  nextCandidate(): number {
    if (this.#candidates === 0) return this.#arrivals.between(0.1, 1) * minute; // it opens with somebody at the door
    const served = meanWork(this.offers) + changeover;
    return this.#arrivals.gap(served / (highestLoad * highestAppeal));
  }

  /**
   * Somebody who thought of coming at this time and does; null when they do not. What chance says of
   * anybody does not depend on who came before, only whether they come does.
   */
  candidate(at: number): Person | null {
    const number = this.#candidates++;
    const doubt = this.#arrivals.throw() * highestLoad * highestAppeal;
    const drawn = loadAt(at) * (appeal[this.line.length] ?? 0);
    const comes = number === 0 ? drawn > 0 : doubt < drawn;
    return this.open && comes ? newcomer(this.dice.of(`person ${number}`), this.offers) : null;
  }

  /** The appointment whose turn it is, if any. It goes before those who wait in line. */
  bookingDue(at: number): Booking | null {
    return this.checkedIn.find(({ slotAt }) => slotAt <= at) ?? null;
  }
}
