import type { Dice } from "../lib/seeded-random.js";
import { minute } from "./opening-hours.js";
import { someone, type Visitor } from "./people.js";

/** A service that people of a queue come for. */
export interface Offer {
  /** Null for people who name no service. */
  readonly serviceId: string | null;
  /** Minutes that it usually takes; null when unknown. */
  readonly minutes: number | null;
}

/** Somebody who comes, with all that will show only later. Times are the story's, in milliseconds. */
export interface Person extends Visitor {
  readonly serviceId: string | null;
  /** How long serving them takes. */
  readonly work: number;
  /** How long they wait before they give up; null for as long as it takes. */
  readonly patience: number | null;
  /** Whether they are there when they are called. */
  readonly staysNear: boolean;
}

/** Somebody in a queue. */
export interface Guest {
  /** The id of their entry. */
  readonly ref: string;
  readonly token: string;
  readonly queueId: string;
  /** Null for a stranger: somebody whom the story did not send. They wait until they are served. */
  readonly person: Person | null;
  readonly work: number;
  /** Since when they wait, as far as the story knows. */
  readonly since: number;
}

/** What serving takes where no service says. */
const usualMinutes = 8;

/** Somebody new, for one of the services. */
export function newcomer(dice: Dice, offers: readonly Offer[]): Person {
  const visitor = someone(dice);
  const offer = offers[Math.floor(dice.throw() * offers.length)];
  return {
    ...visitor,
    serviceId: offer?.serviceId ?? null,
    work: workOf(dice, offer?.minutes ?? null),
    patience: dice.chance(0.15) ? 5 * minute + dice.gap(25 * minute) : null,
    staysNear: !dice.chance(0.06),
  };
}

/** How long serving somebody takes whose service usually takes so many minutes. */
export function workOf(dice: Dice, minutes: number | null): number {
  return Math.max(1, minutes ?? usualMinutes) * dice.between(0.6, 1.5) * minute;
}

/** How long serving takes on average, over all services. */
export function meanWork(offers: readonly Offer[]): number {
  const minutes = offers.map((offer) => Math.max(1, offer.minutes ?? usualMinutes));
  const mean = minutes.reduce((sum, one) => sum + one, 0) / minutes.length || usualMinutes;
  return 1.05 * mean * minute;
}
