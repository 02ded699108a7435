import type { SeededRandom } from "../lib/seeded-random.js";
import { minute } from "./story-time.js";

/** What somebody says of themselves at the counter. */
interface Visitor {
  readonly name: string;
  /** As the API takes it. Of a form that is nobody's number. */
  readonly phone: string;
}

type Names = readonly [string, ...string[]];

/** Given names with the family names that go with them. */
const families: readonly [readonly [Names, Names], ...(readonly [Names, Names])[]] = [
  [
    [
      "Aarav",
      "Anjali",
      "Deepak",
      "Kavita",
      "Manish",
      "Nisha",
      "Rahul",
      "Shreya",
      "Tarun",
      "Vandana",
    ],
    ["Agarwal", "Chauhan", "Gupta", "Mishra", "Saxena", "Sharma", "Tiwari", "Verma", "Yadav"],
  ],
  [
    ["Arvind", "Divya", "Ganesh", "Kavya", "Lakshmi", "Meenakshi", "Raghav", "Revathi", "Suresh"],
    ["Balan", "Iyer", "Krishnan", "Menon", "Nair", "Pillai", "Raman", "Subramaniam"],
  ],
  [
    ["Anand", "Bhavana", "Chaitanya", "Harini", "Kiran", "Naveen", "Sindhu", "Srinivas", "Swathi"],
    ["Gowda", "Hegde", "Naidu", "Prasad", "Rao", "Reddy", "Shetty", "Varma"],
  ],
  [
    ["Ajay", "Ashwini", "Gauri", "Mahesh", "Pallavi", "Prakash", "Rohan", "Sneha", "Vaishali"],
    ["Deshmukh", "Gaikwad", "Jadhav", "Joshi", "Kulkarni", "Patil", "Shinde", "Thakur"],
  ],
  [
    ["Bhavesh", "Dhruv", "Falguni", "Hetal", "Jignesh", "Komal", "Mitesh", "Riya", "Urvi"],
    ["Desai", "Mehta", "Modi", "Parekh", "Patel", "Shah", "Trivedi", "Vyas"],
  ],
  [
    ["Abhijit", "Debjani", "Ishita", "Moumita", "Partha", "Rituparna", "Sourav", "Subhash"],
    ["Banerjee", "Bose", "Chatterjee", "Das", "Ghosh", "Mukherjee", "Sen"],
  ],
  [
    ["Amina", "Farhan", "Imran", "Nazia", "Rehana", "Salim", "Shabana", "Tariq", "Zoya"],
    ["Ansari", "Khan", "Mirza", "Pathan", "Qureshi", "Shaikh", "Siddiqui"],
  ],
  [
    ["Amrit", "Gurpreet", "Harjit", "Jaspreet", "Manpreet", "Navjot", "Ranjit", "Simran"],
    ["Bajwa", "Dhillon", "Gill", "Grewal", "Kaur", "Sandhu", "Sidhu", "Singh"],
  ],
  [
    ["Agnes", "Anthony", "Celine", "Joseph", "Maria", "Neil", "Sherin", "Thomas"],
    ["Cherian", "D'Souza", "Fernandes", "Kurian", "Mathew", "Pereira", "Varghese"],
  ],
];

/** Somebody whom nobody knows. */
function someone(random: SeededRandom): Visitor {
  const [given, family] = random.pick(families);
  const name = `${random.pick(given)} ${random.pick(family)}`;
  return { name, phone: `+91 98000 00${Math.floor(random.between(100, 1000))}` };
}

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
export function newcomer(random: SeededRandom, offers: readonly Offer[]): Person {
  const visitor = someone(random);
  const offer = offers[Math.floor(random.next() * offers.length)];
  return {
    ...visitor,
    serviceId: offer?.serviceId ?? null,
    work: workOf(random, offer?.minutes ?? null),
    patience: random.chance(0.15) ? 5 * minute + random.exponential(25 * minute) : null,
    staysNear: !random.chance(0.06),
  };
}

/** How long serving somebody takes whose service usually takes so many minutes. */
export function workOf(random: SeededRandom, minutes: number | null): number {
  return Math.max(1, minutes ?? usualMinutes) * random.between(0.6, 1.5) * minute;
}

/** How long serving takes on average, over all services. */
export function meanWork(offers: readonly Offer[]): number {
  const minutes = offers.map((offer) => Math.max(1, offer.minutes ?? usualMinutes));
  const mean = minutes.reduce((sum, one) => sum + one, 0) / minutes.length || usualMinutes;
  return 1.05 * mean * minute;
}
