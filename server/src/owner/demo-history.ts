import { SeededRandom } from "../lib/seeded-random.js";
import { addDays, businessDay, startOfDay } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { untouched } from "../rules/issue.js";
import { storedPhone } from "../rules/phone.js";
import type { Entry, Queue, Service } from "../rules/records.js";
import type { BusinessImport } from "../store/import-business.js";
import type { CreationContext } from "./creation-context.js";
import { person } from "./demo-data.js";
import { inPlaces, type UnplacedEntry } from "./seed-records.js";

/** With today, these are the four weeks that the statistics page shows. */
const days = 27;

/** The seed is fixed, so that each date has the same visits whenever the demo is created. */
const seed = 2026;

const minute = 60_000;

/** The opening hours of the clinic, in minutes after midnight. */
const hours = [
  { from: 9 * 60, to: 13 * 60 },
  { from: 16 * 60, to: 19 * 60 },
] as const;

/** The typical day of a queue. */
interface Routine {
  /** The mean number of minutes between two arrivals on an average day. */
  readonly gap: number;
  /** The service time in minutes if the service has no base time. */
  readonly work: number;
  readonly services: readonly [string | null, ...(string | null)[]];
}

const routines: Readonly<Record<string, Routine>> = {
  "Dr. Asha Rao": {
    gap: 16,
    work: 14,
    services: ["Consultation", "Consultation", "Follow-up"],
  },
  "Front desk": { gap: 14, work: 8, services: [null, null, "Medical certificate"] },
  Laboratory: { gap: 20, work: 9, services: ["Blood test", "Blood test", "Vaccination"] },
  Pharmacy: { gap: 18, work: 6, services: [null] },
};

/** The number of arrivals by day of the week, Sunday first, relative to an average day. The clinic is closed on Sundays. */
const weekdays = [0, 1.25, 1, 0.95, 1, 1.1, 0.7] as const;

/**
 * The visits of the four weeks before today, all ended. A fixed seed and the date decide the people, their times and
 * their statuses. The ids are random.
 */
export function demoHistory(clinic: BusinessImport, context: CreationContext): Entry[] {
  const today = businessDay(context.now, clinic.business.timezone);
  const visits = clinic.queues.flatMap((queue) => {
    const routine = routines[queue.name];
    if (!routine) return [];
    return Array.from({ length: days }, (_, at) => addDays(today, at - days)).flatMap((date) =>
      dayOf({ clinic, queue, routine, date, context }),
    );
  });
  return inPlaces(visits);
}

interface QueueDay {
  readonly clinic: BusinessImport;
  readonly queue: Queue;
  readonly routine: Routine;
  readonly date: string;
  readonly context: CreationContext;
}

/** One day of a queue with one counter, which calls people in order of arrival. */
function dayOf({ clinic, queue, routine, date, context }: QueueDay): UnplacedEntry[] {
  const random = new SeededRandom(seed).fork(`${queue.name} ${date}`);
  const busy = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? 1;
  const midnight = startOfDay(date, clinic.business.timezone);
  let freeAt = 0;
  return arrivals(random, busy === 0 ? 0 : routine.gap / busy).map((arrival, index) => {
    const service = serviceOf(clinic, random.pick(routine.services));
    const issuedAt = midnight + Math.round(arrival * minute);
    const callAt = Math.max(issuedAt + random.between(0.5, 2) * minute, freeAt);
    const times = courseOf(random, {
      issuedAt,
      callAt,
      work: service?.baseTimeMinutes ?? routine.work,
    });
    if (times.status === "COMPLETED") freeAt = times.completedAt + random.between(0.5, 2) * minute;
    const { name, phone } = person(Math.floor(random.between(0, 20)));
    return {
      id: newId(issuedAt, context.random),
      businessId: clinic.business.id,
      queueId: queue.id,
      date,
      tokenSeries: queue.tokenSeries,
      tokenNumber: index + 1,
      priority: false,
      serviceId: service?.id ?? null,
      workMinutes: service?.baseTimeMinutes ?? null,
      customerName: name,
      ...storedPhone(phone),
      issuedAt,
      ...times,
      ...untouched,
    };
  });
}

/** The times of the arrivals, in minutes after midnight. */
function arrivals(random: SeededRandom, gap: number): number[] {
  if (gap === 0) return [];
  return hours.flatMap(({ from, to }) => {
    const found: number[] = [];
    for (let at = from + random.exponential(gap); at < to; at += random.exponential(gap))
      found.push(at);
    return found;
  });
}

function serviceOf({ services }: BusinessImport, name: string | null): Service | undefined {
  return services.find((service) => service.name === name);
}

interface Turn {
  readonly issuedAt: number;
  readonly callAt: number;
  /** The average service time in minutes. */
  readonly work: number;
}

/** The status and times of a visit: most people are served, some give up, some do not come when they are called. */
function courseOf(random: SeededRandom, { issuedAt, callAt, work }: Turn) {
  const never = { startedAt: null, completedAt: null, canceledAt: null };
  if (random.chance(0.05)) return { status: "NO_SHOW", ...never } as const;
  const patienceEnds = issuedAt + Math.round(random.between(5, 90) * minute);
  if (patienceEnds < callAt && random.chance(0.5)) {
    return { status: "CANCELED", ...never, canceledAt: patienceEnds } as const;
  }
  const startedAt = Math.round(callAt);
  const completedAt = startedAt + Math.round(work * random.between(0.5, 1.4) * minute);
  return { status: "COMPLETED", ...never, startedAt, completedAt } as const;
}
