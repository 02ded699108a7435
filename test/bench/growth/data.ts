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

type Load = Store["copying"]["load"];
type Kind = Parameters<Load>[0];

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

/** Fills an empty database with records of the form that copying uses. */
export async function fill(store: Store, size: Size, options: FillOptions): Promise<void> {
  const { now } = options;
  const { businesses, entries, auditRows, waiting } = size;
  const put = async <K extends Kind>(
    kind: K,
    count: number,
    record: (n: number) => Parameters<typeof store.copying.load<K>>[1][number],
  ) => {
    for (let offset = 0; offset < count; offset += batch) {
      if (performance.now() > options.until) throw new TookTooLong();
      const length = Math.min(batch, count - offset);
      await store.copying.load(
        kind,
        Array.from({ length }, (_, at) => record(offset + at)),
        offset,
      );
      options.onProgress(kind, offset + length, count);
    }
  };
  await put("businesses", businesses, (n) => ({
    ...{ id: id("b", n), slug: `business-${n}`, name: `Business ${n}`, category: "clinic" },
    ...{ timezone: null, apiAccess: true, dailyTokenLimit: null, sandbox: false },
    ...{ longWaitMinutes: null, displayHash: null },
  }));
  await put("queues", businesses, (n) => ({
    ...{ id: id("q", n), businessId: id("b", n), name: "Front desk", tokenSeries: "A" },
    ...{ isActive: true, isTokenCreationPaused: false },
  }));
  const entry = (business: number, day: number, tokenNumber: number, status: Status) => {
    const issuedAt = now - day * dayMs - 3_600_000;
    const date = dayOf(now - day * dayMs);
    const isDone = status === "COMPLETED";
    return {
      ...{ businessId: id("b", business), queueId: id("q", business), date, tokenSeries: "A" },
      ...{ tokenNumber, status, priority: false, serviceId: null, workMinutes: null },
      ...{ customerName: `Customer ${tokenNumber}`, customerPhone: "919800000001", issuedAt },
      startedAt: isDone ? issuedAt + 600_000 : null,
      completedAt: isDone ? issuedAt + 1_200_000 : null,
      ...{ canceledAt: null, revision: 0, calls: Number(isDone), counter: null, claimId: null },
      ...{ transferredTo: null, transferredFrom: null },
    };
  };
  await put("entries", past.days * past.aDay, (n) => ({
    id: id("p", n),
    ...entry(0, 1 + Math.floor(n / past.aDay), 1 + (n % past.aDay), "COMPLETED"),
  }));
  const share = Math.ceil(entries / Math.min(mostHolders, businesses - 1));
  const aDay = Math.ceil(share / days);
  await put("entries", entries, (n) => {
    const [business, place] = [1 + Math.floor(n / share), n % share];
    const day = 1 + Math.floor(place / aDay);
    return { id: id("e", n), ...entry(business, day, 1 + (place % aDay), "COMPLETED") };
  });
  const firstToWait = cameToday - waiting;
  await put("entries", cameToday, (n) => ({
    id: id("t", n),
    ...entry(0, 0, n + 1, n < firstToWait ? "COMPLETED" : "WAITING"),
  }));
  await put("audit", auditRows + expiredRows, (n) => {
    const kept = Math.round(89 * dayMs * (1 - n / (auditRows + expiredRows)));
    const age = n < expiredRows ? 100 * dayMs : kept;
    return {
      ...{ businessId: id("b", n % businesses), keyId: id("k", n % businesses), at: now - age },
      ...{ method: "GET", path: `/v1/entries/${id("e", n)}`, status: 200, ip: "203.0.113.7" },
      ...{ requestId: id("r", n), sum: null, account: null },
    };
  });
  await store.copying.finish();
}

type Status = "WAITING" | "COMPLETED";
