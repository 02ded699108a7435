import type { AppointmentStatus, EntryStatus } from "@queue-api/contract";
import type { SeedInput } from "../owner/seed.js";

/** The slug of the demo business. */
export const demoSlug = "demo";

type BusinessInput = SeedInput["businesses"][number];
type EntryInput = NonNullable<NonNullable<BusinessInput["queues"]>[number]["entries"]>[number];
type AppointmentInput = NonNullable<BusinessInput["appointments"]>[number];

const people = [
  "Aarav Sharma",
  "Diya Patel",
  "Vihaan Reddy",
  "Ananya Iyer",
  "Kabir Khan",
  "Ishita Banerjee",
  "Rohan Deshmukh",
  "Meera Nair",
  "Arjun Singh",
  "Priya Menon",
  "Sanjay Gupta",
  "Lakshmi Rao",
  "Farhan Qureshi",
  "Neha Joshi",
  "Vikram Chauhan",
  "Kavya Pillai",
  "Suresh Kulkarni",
  "Pooja Verma",
  "Joseph D'Souza",
  "Gurpreet Kaur",
] as const;

/** A person of the demo, with a phone number that is not assigned to any subscriber. */
export function person(index: number): { name: string; phone: string } {
  const at = index % people.length;
  return { name: people[at] ?? "", phone: `+9198000000${String(at + 1).padStart(2, "0")}` };
}

interface DemoVisit {
  readonly status: EntryStatus;
  readonly minutesAgo: number;
  readonly service?: string;
  readonly priority?: true;
}

/** The visits of a day in a queue. `first`: index of the first person. */
function visits(first: number, date: string, list: readonly DemoVisit[]): EntryInput[] {
  return list.map((visit, index) => ({ ...person(first + index), date, ...visit }));
}

const doctorToday = visits(0, "today", [
  { status: "COMPLETED", minutesAgo: 130, service: "consultation" },
  { status: "COMPLETED", minutesAgo: 118, service: "follow-up" },
  { status: "NO_SHOW", minutesAgo: 104, service: "consultation" },
  { status: "COMPLETED", minutesAgo: 96, service: "consultation", priority: true },
  { status: "CANCELED", minutesAgo: 71, service: "follow-up" },
  { status: "IN_SERVICE", minutesAgo: 48, service: "consultation" },
  { status: "WAITING", minutesAgo: 37, service: "consultation" },
  { status: "WAITING", minutesAgo: 29, service: "follow-up" },
  { status: "WAITING", minutesAgo: 18, service: "consultation", priority: true },
  { status: "WAITING", minutesAgo: 6, service: "consultation" },
]);

const deskToday = visits(10, "today", [
  { status: "COMPLETED", minutesAgo: 84 },
  { status: "COMPLETED", minutesAgo: 66, service: "certificate" },
  { status: "IN_SERVICE", minutesAgo: 25 },
  { status: "WAITING", minutesAgo: 14 },
  { status: "WAITING", minutesAgo: 9, service: "certificate" },
]);

const laboratoryToday = visits(15, "today", [
  { status: "COMPLETED", minutesAgo: 75, service: "blood-test" },
  { status: "IN_SERVICE", minutesAgo: 22, service: "blood-test" },
  { status: "WAITING", minutesAgo: 11, service: "vaccination" },
]);

const pharmacyToday = visits(18, "today", [
  { status: "COMPLETED", minutesAgo: 52 },
  { status: "WAITING", minutesAgo: 8 },
]);

/** The times and statuses of the appointments: of today, and of each later day. */
const appointmentDays: readonly (readonly (readonly [string, AppointmentStatus])[])[] = [
  [
    ["09:30", "COMPLETED"],
    ["10:00", "NO_SHOW"],
    ["10:30", "CANCELLED"],
    ["11:00", "IN_SERVICE"],
    ["11:30", "CHECKED_IN"],
    ["12:00", "CONFIRMED"],
    ["16:30", "CONFIRMED"],
  ],
  [
    ["10:00", "CONFIRMED"],
    ["10:30", "CANCELLED"],
    ["11:30", "CONFIRMED"],
  ],
];

/** The appointments of two weeks, so that a demo that is kept still has some on later days. */
function appointments(): AppointmentInput[] {
  return Array.from({ length: 14 }, (_, day) => {
    const slots = appointmentDays[Math.min(day, appointmentDays.length - 1)] ?? [];
    return slots.map(([slotTime, status], index) => ({
      date: `today+${day}`,
      slotTime,
      durationMinutes: index % 2 === 0 ? 15 : 10,
      status,
      service: index % 2 === 0 ? "consultation" : "follow-up",
      customer: person(day * 3 + index),
    }));
  }).flat();
}

/** A clinic on a typical day, without history: three open queues, a paused one and a closed one. */
export const demoSeed: SeedInput = {
  businesses: [
    {
      slug: demoSlug,
      name: "Sunrise Clinic",
      category: "clinic",
      timezone: "Asia/Kolkata",
      sandbox: true,
      services: [
        { ref: "consultation", name: "Consultation", price: 500, baseTimeMinutes: 15 },
        { ref: "follow-up", name: "Follow-up", price: 250, baseTimeMinutes: 10 },
        { ref: "blood-test", name: "Blood test", price: 400 },
        { ref: "vaccination", name: "Vaccination", baseTimeMinutes: 5 },
        { ref: "certificate", name: "Medical certificate" },
        { name: "Home visit", price: 1200, baseTimeMinutes: 60, active: false },
      ],
      queues: [
        { name: "Dr. Asha Rao", tokenSeries: "A", entries: doctorToday },
        { name: "Front desk", tokenSeries: "F", entries: deskToday },
        { name: "Laboratory", tokenSeries: "L", entries: laboratoryToday },
        {
          name: "Pharmacy",
          tokenSeries: "P",
          isTokenCreationPaused: true,
          entries: pharmacyToday,
        },
        { name: "Evening clinic", tokenSeries: "E", isActive: false },
      ],
      appointments: appointments(),
    },
  ],
};
