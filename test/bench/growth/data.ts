import type { Store } from "@queue-api/server";

/** The size of a database. Only one of these numbers differs between the sizes of a row. */
export interface Size {
  readonly businesses: number;
  /** Entries of the other businesses, over the days of a year. */
  readonly entries: number;
  readonly auditRows: number;
  /** Waiting entries of today in the measured queue. */
  readonly waiting: number;
}

type Kind = "entries" | "audit";

const batch = 2_000;
const dayMs = 86_400_000;
const days = 365;

/** Entries of today in the measured queue. Each size lists and counts the same number. */
const cameToday = 250;

/** The past entries of the measured business, the same at each size. */
const past = { days: 40, aDay: 50 };

/** The maximum number of businesses that share the entries of a year. */
const mostHolders = 2;

/** Expired audit rows. Each pass of pruning removes 2,000 of them. */
export const expiredRows = 12_000;

export function id(kind: string, n: number): string {
  return kind + String(n).padStart(24 - kind.length, "0");
}

/** The measured business, its queue, and the last entry of today. */
export const measured = {
  businessId: id("b", 0),
  queueId: id("q", 0),
  lastEntry: id("t", cameToday - 1),
};

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Ends the writing of a size that takes too long. */
export class TookTooLong extends Error {}

export interface FillOptions {
  readonly now: number;
  /** When writing is aborted, by `performance.now()`. */
  readonly until: number;
  readonly onProgress: (kind: Kind, records: number, of: number) => void;
}

/** Fills an empty database, one business after the other, as an import does. */
export async function fill(store: Store, size: Size, options: FillOptions): Promise<void> {
  for (let business = 0; business < size.businesses; business++) {
    await fillBusiness(store, size, business, options);
  }
}

async function fillBusiness(
  { imports }: Store,
  { businesses, entries, auditRows, waiting }: Size,
  business: number,
  { now, until, onProgress }: FillOptions,
): Promise<void> {
  const businessId = id("b", business);
  const queueId = id("q", business);
  const put = async <Row>(
    kind: Kind,
    count: number,
    record: (n: number) => Row,
    add: (rows: Row[], offset: number) => Promise<void>,
  ) => {
    for (let offset = 0; offset < count; offset += batch) {
      if (performance.now() > until) throw new TookTooLong();
      const length = Math.min(batch, count - offset);
      await add(
        Array.from({ length }, (_, at) => record(offset + at)),
        offset,
      );
      onProgress(kind, offset + length, count);
    }
  };

  const entry = (entryId: string, day: number, tokenNumber: number, status: Status) => {
    const issuedAt = now - day * dayMs - 3_600_000;
    const isDone = status === "COMPLETED";
    return {
      ...{ id: entryId, businessId, queueId, date: dayOf(now - day * dayMs), tokenSeries: "A" },
      ...{ tokenNumber, status, priority: false, serviceId: null, workMinutes: null },
      ...{ customerName: `Customer ${tokenNumber}`, customerPhone: "919800000001" },
      ...{ phoneIsInternational: false, issuedAt },
      startedAt: isDone ? issuedAt + 600_000 : null,
      completedAt: isDone ? issuedAt + 1_200_000 : null,
      ...{ canceledAt: null, revision: 0, calls: Number(isDone), counter: null },
      ...{ placeInDay: tokenNumber, earlierPlaces: [] },
    };
  };
  const putEntries = (count: number, record: (n: number) => ReturnType<typeof entry>) =>
    put(
      "entries",
      count,
      (n) => ({ entry: record(n), keyed: null }),
      (rows, offset) => imports.add(businessId, "entries", rows, offset),
    );
  if (business === 0) {
    await putEntries(past.days * past.aDay, (n) =>
      entry(id("p", n), 1 + Math.floor(n / past.aDay), 1 + (n % past.aDay), "COMPLETED"),
    );
    const firstToWait = cameToday - waiting;
    await putEntries(cameToday, (n) =>
      entry(id("t", n), 0, n + 1, n < firstToWait ? "COMPLETED" : "WAITING"),
    );
  } else if (business <= mostHolders) {
    const share = Math.ceil(entries / Math.min(mostHolders, businesses - 1));
    const aDay = Math.ceil(share / days);
    const first = (business - 1) * share;
    await putEntries(Math.min(share, entries - first), (n) =>
      entry(id("e", first + n), 1 + Math.floor(n / aDay), 1 + (n % aDay), "COMPLETED"),
    );
  }

  const rows = auditRows + expiredRows;
  await put(
    "audit",
    Math.ceil((rows - business) / businesses),
    (at) => {
      const n = at * businesses + business;
      const kept = Math.round(89 * dayMs * (1 - n / rows));
      const age = n < expiredRows ? 100 * dayMs : kept;
      return {
        ...{ businessId, keyId: id("k", business), at: now - age, method: "GET" },
        ...{ path: `/v1/entries/${id("e", n)}`, status: 200, ip: "203.0.113.7" },
        ...{ requestId: id("r", n), sum: null, account: null },
      };
    },
    (rows, offset) => imports.add(businessId, "audit", rows, offset),
  );
  const named = { id: businessId, slug: `business-${business}`, name: `Business ${business}` };
  await imports.commit(
    {
      business: {
        ...{ ...named, category: "clinic", timezone: null, apiAccess: true },
        ...{ dailyTokenLimit: null, sandbox: false, longWaitMinutes: null, displayHash: null },
      },
      queues: [
        {
          ...{ id: queueId, businessId, name: "Front desk", tokenSeries: "A" },
          ...{ isActive: true, isTokenCreationPaused: false },
        },
      ],
      ...{ services: [], keys: [], accounts: [] },
    },
    { replace: false },
  );
}

type Status = "WAITING" | "COMPLETED";
