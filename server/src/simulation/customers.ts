import type { SeededRandom } from "../lib/seeded-random.js";
import { minute } from "./story-time.js";

/** The name and phone number of a customer. */
interface Visitor {
  readonly name: string;
  /** In a form that the API accepts, from a range that is not assigned to any subscriber. */
  readonly phone: string;
}

type Names = readonly [string, ...string[]];

/** Given names, each group with the family names of the same language or religion. */
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

/** A random name and phone number. */
function randomVisitor(random: SeededRandom): Visitor {
  const [given, family] = random.pick(families);
  const name = `${random.pick(given)} ${random.pick(family)}`;
  return { name, phone: `+91 98000 00${Math.floor(random.between(100, 1000))}` };
}

/** A service that the customers of a queue come for. */
export interface Offer {
  /** Null for customers without a service. */
  readonly serviceId: string | null;
  /** The service's usual time in minutes; null if unknown. */
  readonly minutes: number | null;
}

/** A simulated customer, with the behavior that is decided in advance. Times are the story's, in milliseconds. */
export interface Person extends Visitor {
  readonly serviceId: string | null;
  /** How long the service takes. */
  readonly work: number;
  /** How long they wait before they give up; null if they never do. */
  readonly patience: number | null;
  /** Whether they come when they are called. */
  readonly staysNear: boolean;
}

/** A customer in a queue. */
export interface Guest {
  /** The id of their entry. */
  readonly ref: string;
  readonly token: string;
  readonly queueId: string;
  /** Null for a customer that the simulation did not create. Such a customer never gives up. */
  readonly person: Person | null;
  readonly work: number;
  /** When they arrived, or when the story first read their entry. */
  readonly since: number;
}

/** The service time of a customer without a service, or whose service has no base time. */
const usualMinutes = 8;

/** A new customer for one of the services. */
export function randomPerson(random: SeededRandom, offers: readonly Offer[]): Person {
  const visitor = randomVisitor(random);
  const offer = offers[Math.floor(random.next() * offers.length)];
  return {
    ...visitor,
    serviceId: offer?.serviceId ?? null,
    work: workOf(random, offer?.minutes ?? null),
    patience: random.chance(0.15) ? 5 * minute + random.exponential(25 * minute) : null,
    staysNear: !random.chance(0.06),
  };
}

/** A random service time, around the usual minutes of a service. */
export function workOf(random: SeededRandom, minutes: number | null): number {
  return Math.max(1, minutes ?? usualMinutes) * random.between(0.6, 1.5) * minute;
}

/** The mean service time over all services. */
export function meanWork(offers: readonly Offer[]): number {
  const minutes = offers.map((offer) => Math.max(1, offer.minutes ?? usualMinutes));
  const mean = minutes.reduce((sum, one) => sum + one, 0) / minutes.length || usualMinutes;
  return 1.05 * mean * minute;
}
