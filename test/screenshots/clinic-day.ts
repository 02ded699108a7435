import type { EntryStatus } from "@queue-api/contract";
import type { BusinessSeed, EntrySeed } from "../support/seed.js";

/*
 * Two weeks of a clinic that never was, the same each time: worth looking at, and without anybody's
 * name or number.
 */

const people = [
  ...["Aarav Sharma", "Diya Patel", "Vihaan Gupta", "Ananya Iyer", "Kabir Khan", "Meera Nair"],
  ...["Rohan Das", "Isha Verma", "Arjun Reddy", "Saanvi Rao", "Farhan Qureshi", "Neha Joshi"],
];

function person(n: number, changes: Partial<EntrySeed>): EntrySeed {
  const name = people[n % people.length] ?? "";
  return { name, phone: `9198000000${String((n % people.length) + 10)}`, ...changes };
}

/** How many came in each hour before this one, in a morning with a rush. */
const rush = [9, 14, 7, 4];

function pastDay(daysAgo: number): EntrySeed[] {
  const weekday = (6 - daysAgo) % 7;
  if (weekday === -1 || weekday === 6) return []; // closed on Sundays
  return rush.flatMap((many, hour) =>
    Array.from({ length: many - (daysAgo % 3) }, (_, n) => {
      const status: EntryStatus = n % 9 === 4 ? "NO_SHOW" : n % 11 === 7 ? "CANCELED" : "COMPLETED";
      const minutesAgo = hour * 60 + Math.round((n * 60) / many) + 5;
      return person(n + hour, { date: `today-${daysAgo}`, status, minutesAgo, service: "consult" });
    }),
  );
}

const today: EntrySeed[] = Array.from({ length: 46 }, (_, n) => {
  const status: EntryStatus =
    n < 14 ? (n % 7 === 5 ? "NO_SHOW" : "COMPLETED") : n < 16 ? "IN_SERVICE" : "WAITING";
  const service = n % 4 === 3 ? "review" : "consult";
  return person(n, { status, service, priority: n === 20, minutesAgo: 130 - Math.round(n * 2.7) });
});

const laboratory = Array.from({ length: 9 }, (_, n) => {
  const status: EntryStatus = n < 3 ? "COMPLETED" : n < 4 ? "IN_SERVICE" : "WAITING";
  return person(n + 5, { status, service: "blood", minutesAgo: 70 - n * 6 });
});

export const clinicDay: BusinessSeed = {
  name: "Sunrise Clinic",
  services: [
    { ref: "consult", name: "Consultation", price: 300, baseTimeMinutes: 12 },
    { ref: "review", name: "Report review", price: 100, baseTimeMinutes: 5 },
    { ref: "blood", name: "Blood test", price: 450, baseTimeMinutes: 8 },
    { name: "Home visit", price: 900, baseTimeMinutes: 45, active: false },
  ],
  queues: [
    {
      ref: "front",
      name: "Front desk",
      entries: [...[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].flatMap(pastDay), ...today],
    },
    { ref: "lab", name: "Laboratory", tokenSeries: "L", entries: laboratory },
    { ref: "pharmacy", name: "Pharmacy", tokenSeries: "P", isTokenCreationPaused: true },
  ],
  appointments: [
    ...(["COMPLETED", "COMPLETED", "NO_SHOW", "IN_SERVICE", "CHECKED_IN"] as const),
    ...(["CONFIRMED", "CANCELLED", "CONFIRMED"] as const),
  ].map((status, n) => ({
    status,
    slotTime: `${String(9 + Math.floor(n / 3)).padStart(2, "0")}:${["00", "20", "40"][n % 3]}`,
    durationMinutes: 20,
    service: n % 3 === 1 ? "review" : "consult",
    customer: { name: people[n + 2] ?? "", phone: `91980000002${n}` },
    ...(n === 4 && { notes: "Brings the last report." }),
  })),
  keys: [
    { ref: "kiosk", name: "Kiosk in the hall", scopes: ["queue:read", "queue:write"], days: 90 },
    { ref: "screen", name: "Screen in the waiting room", scopes: ["queue:read"], days: 10 },
    {
      ref: "old",
      ...{ name: "Old web site", scopes: ["queue:read"], days: 30, revoked: true },
    },
  ],
};
