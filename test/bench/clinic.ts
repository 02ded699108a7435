import type { SeedInput } from "@queue-api/server";

type BusinessInput = SeedInput["businesses"][number];
type QueueInput = NonNullable<BusinessInput["queues"]>[number];
type EntryInput = NonNullable<QueueInput["entries"]>[number];

/** Limits so high that no request of a benchmark is refused. The windows are still counted. */
const unlimited = 1_000_000;

/** This many businesses, each with one key and a queue with these people. */
export function clinics(count: number, entries: readonly EntryInput[]): SeedInput {
  const slugs = Array.from({ length: count }, (_, n) => `bench-${n}`);
  return { businesses: slugs.map((slug) => clinic({ front: entries }, slug)) };
}

/** A business with one key with every scope, and queues by name. */
export function clinic(
  queues: Readonly<Record<string, readonly EntryInput[]>>,
  slug = "bench",
): BusinessInput {
  return {
    slug,
    name: "Bench Clinic",
    timezone: zoneFarFromMidnight(new Date()),
    services: [
      { ref: "consultation", name: "Consultation", price: 300, baseTimeMinutes: 15 },
      { ref: "follow-up", name: "Follow-up", baseTimeMinutes: 10 },
    ],
    queues: Object.entries(queues).map(([ref, entries]) => {
      return { ref, name: ref, entries: [...entries] };
    }),
    keys: [
      {
        ref: "key",
        name: "Bench",
        scopes: ["queue:read", "queue:write", "appointments:read"],
        requestsPerMinute: unlimited,
        writesPerMinute: unlimited,
      },
    ],
  };
}

/** A usual day: most people wait, some with priority, some without a service, and some are gone. */
export function usualDay(people: number): EntryInput[] {
  return waiting(people).map((person, index) => ({
    ...person,
    status:
      ({ 0: "COMPLETED", 3: "CANCELED", 6: "COMPLETED", 9: "NO_SHOW" } as const)[index % 10] ??
      "WAITING",
    priority: index % 20 === 7,
    minutesAgo: 30,
  }));
}

const services = ["consultation", "consultation", "follow-up", "consultation", null];

export function waiting(people: number): EntryInput[] {
  return Array.from({ length: people }, (_, index) => ({
    name: `Customer ${index + 1}`,
    phone: `91980${String(index % 10_000_000).padStart(7, "0")}`,
    service: services[index % 5] ?? null,
  }));
}

/** A time zone in which today lasts longer than a bench, and began before anybody who waits came. */
function zoneFarFromMidnight(now: Date): string {
  const hours = now.getUTCHours();
  return hours >= 2 && hours < 14 ? "Asia/Kolkata" : "America/Bogota";
}
