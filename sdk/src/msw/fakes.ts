import type {
  Appointment,
  Customer,
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  QueueSummary,
  Service,
} from "../generated/types.js";

/** Some of the fields of an object; those of the objects in it likewise. */
export type Changes<Value> = {
  [Field in keyof Value]?: Value[Field] extends readonly unknown[]
    ? Value[Field] | undefined
    : Value[Field] extends object
      ? Partial<Value[Field]> | undefined
      : Value[Field] | undefined;
};

const customer: Customer = { name: "Customer 1", phone: "919800000001" };

const waiting: Entry = {
  id: "01K2Q7M8Zb4nT6wXc9RvYd3F",
  token: "A12",
  tokenSeries: "A",
  tokenNumber: 12,
  status: "WAITING",
  priority: false,
  serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
  customer,
  issuedAt: "2026-11-21T04:30:00.000Z",
  startedAt: null,
  completedAt: null,
  canceledAt: null,
  predictedWaitMinutes: 30,
};

/** What belongs to an entry in each state. */
const courses: Readonly<Record<string, Partial<Entry>>> = {
  WAITING: {},
  IN_SERVICE: { startedAt: "2026-11-21T04:50:00.000Z", predictedWaitMinutes: null },
  COMPLETED: {
    startedAt: "2026-11-21T04:50:00.000Z",
    completedAt: "2026-11-21T05:05:00.000Z",
    predictedWaitMinutes: null,
  },
  CANCELED: { canceledAt: "2026-11-21T04:40:00.000Z", predictedWaitMinutes: null },
  NO_SHOW: { predictedWaitMinutes: null },
};

const queue: Queue = {
  id: "01K2Q7M8Xa1bC3dEf5GhJk7M",
  name: "Front desk",
  isActive: true,
  isTokenCreationPaused: false,
};

function entry(changes: Changes<Entry> = {}): Entry {
  const { status, tokenSeries, tokenNumber } = merged(waiting, changes);
  const label = { token: `${tokenSeries}${tokenNumber}` };
  return merged({ ...waiting, ...courses[status], ...label }, changes);
}

/**
 * Valid objects of the API. Each takes the fields that matter to a test; the rest fits to them: an entry
 * that is `CANCELED` has a `canceledAt` and no position, one with `tokenNumber: 7` is `A7`.
 *
 * @example
 * fakes.entry({ status: "CANCELED" });
 * fakes.queueSummary({ counts: { waiting: 40 } });
 */
export const fakes = {
  entry,

  entryWithPosition(changes: Changes<EntryWithPosition> = {}): EntryWithPosition {
    const { position, ...rest } = changes;
    const made = entry(rest);
    return { ...made, position: position ?? (made.status === "WAITING" ? 3 : null) };
  },

  queue: (changes: Changes<Queue> = {}): Queue => merged(queue, changes),

  queueSummary: (changes: Changes<QueueSummary> = {}): QueueSummary =>
    merged(
      {
        ...queue,
        date: "2026-11-21",
        counts: { waiting: 4, inService: 1, completed: 9, canceled: 1, noShow: 0 },
        averageWaitMinutes: 23,
      },
      changes,
    ),

  service: (changes: Changes<Service> = {}): Service =>
    merged(
      { id: "01K2Q7M8Yf6hJ8kLm2PqRs4T", name: "Consultation", price: 300, baseTimeMinutes: 15 },
      changes,
    ),

  appointment: (changes: Changes<Appointment> = {}): Appointment =>
    merged(
      {
        id: "01K2Q7M8Wd2cV4bNm6QwEr8T",
        date: "2026-11-21",
        slotTime: "10:30",
        durationMinutes: 15,
        status: "CONFIRMED",
        serviceId: "01K2Q7M8Yf6hJ8kLm2PqRs4T",
        customer,
      },
      changes,
    ),

  me: (changes: Changes<Me> = {}): Me =>
    merged(
      {
        business: {
          name: "Sunrise Clinic",
          slug: "sunrise",
          category: "clinic",
          timezone: "Asia/Kolkata",
        },
        key: {
          id: "01K2Q7M8Vc5vB7nM9aSdFg1H",
          name: "Kiosk",
          scopes: ["queue:read", "queue:write"],
          expiresAt: "2027-02-19T04:30:00.000Z",
        },
        limits: { requestsPerMinute: 120, writesPerMinute: 30, maxBodyBytes: 32_768 },
      },
      changes,
    ),
};

/** The base with the changes that there are; objects in it are merged as well. */
function merged<Value extends object>(base: Value, changes: Changes<Value>): Value {
  const result = structuredClone(base);
  for (const field of Object.keys(changes) as (keyof Value)[]) {
    const change = changes[field];
    const old = base[field];
    if (change === undefined) continue;
    result[field] =
      isObject(old) && isObject(change) ? { ...old, ...change } : (change as Value[typeof field]);
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
