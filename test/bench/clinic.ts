import type { EntryStatus } from "@queue-api/contract";
import type { SeedInput } from "@queue-api/server";

type QueueInput = NonNullable<SeedInput["businesses"][number]["queues"]>[number];
type EntryInput = NonNullable<QueueInput["entries"]>[number];

const slug = "bench";

/** Limits so high that no request of a benchmark is refused. The windows are still counted. */
const unlimited = 1_000_000;

/** This many businesses, each with one key and a queue with these people. */
export function clinics(count: number, entries: readonly EntryInput[]): SeedInput {
  const businesses = Array.from({ length: count }, (_, n) => {
    const [business] = clinic({ front: entries }).businesses;
    if (!business) throw new Error("the clinic is no business");
    return { ...business, slug: `${slug}-${n}` };
  });
  return { businesses };
}

/** A business with one key with every scope, and queues by name. */
export function clinic(queues: Readonly<Record<string, readonly EntryInput[]>>): SeedInput {
  return {
    businesses: [
      {
        slug,
        name: "Bench Clinic",
        timezone: zoneFarFromMidnight(new Date()),
        services: [
          { ref: "consultation", name: "Consultation", price: 300, baseTimeMinutes: 15 },
          { ref: "follow-up", name: "Follow-up", baseTimeMinutes: 10 },
        ],
        queues: Object.entries(queues).map(([ref, entries]) => ({
          ref,
          name: ref,
          entries: [...entries],
        })),
        keys: [
          {
            ref: "key",
            name: "Bench",
            scopes: ["queue:read", "queue:write", "appointments:read"],
            requestsPerMinute: unlimited,
            writesPerMinute: unlimited,
          },
        ],
      },
    ],
  };
}

/** The state of every tenth person of a usual day; the rest wait. */
const states: Partial<Record<number, EntryStatus>> = {
  0: "COMPLETED",
  3: "CANCELED",
  6: "COMPLETED",
  9: "NO_SHOW",
};

/** A usual day: most people wait, some with priority, some without a service, and some are gone. */
export function usualDay(people: number): EntryInput[] {
  return Array.from({ length: people }, (_, index) => ({
    ...person(index),
    service: serviceOf(index),
    status: states[index % 10] ?? "WAITING",
    priority: index % 20 === 7,
    minutesAgo: 30,
  }));
}

/** This many waiting entries. */
export function waiting(people: number): EntryInput[] {
  return Array.from({ length: people }, (_, index) => ({
    ...person(index),
    service: serviceOf(index),
  }));
}

function person(index: number) {
  return {
    name: `Customer ${index + 1}`,
    phone: `91980${String(index % 10_000_000).padStart(7, "0")}`,
  };
}

function serviceOf(index: number) {
  return index % 5 === 4 ? null : index % 5 === 2 ? "follow-up" : "consultation";
}

/** A time zone in which today lasts longer than a bench, and began before anybody who waits came. */
function zoneFarFromMidnight(now: Date): string {
  const hours = now.getUTCHours();
  return hours >= 2 && hours < 14 ? "Asia/Kolkata" : "America/Bogota";
}
