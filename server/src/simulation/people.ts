import type { Dice } from "../lib/seeded-random.js";

/** What somebody says of themselves at the counter. */
export interface Visitor {
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
export function someone(dice: Dice): Visitor {
  const [given, family] = dice.pick(families);
  const name = `${dice.pick(given)} ${dice.pick(family)}`;
  return { name, phone: `+91 98000 00${Math.floor(dice.between(100, 1000))}` };
}
