import { limits } from "@queue-api/contract/limits";
import { Types } from "mongoose";
import { type Admission, type Attempt, decideAdmission } from "../../rules/admission.js";
import type { Credentials } from "../../rules/key.js";
import { currentWindow, type Window } from "../../rules/window.js";
import { addressDigits } from "./address-range.js";
import { chargeKey } from "./admission-pipeline.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer, lanes } from "./coalescer.js";
import { businessOfKey, type KeyDoc, type KeyWindows, readKey } from "./collections/keys.js";
import type { Database, Filter } from "./connection.js";
import type { StoreTime } from "./time.js";
import { isPartlyDone } from "./unavailable.js";

export type KeyAttempt = Attempt & { readonly credentials: Credentials };

type KeyNow = KeyDoc & { readonly now: number };

/** The admission of each attempt; null if the credentials are invalid. */
type Decisions = readonly (Admission | null)[];

/** Attempts with one key and secret, and the key as this process last read it. */
interface Charge {
  readonly known: KeyDoc;
  readonly attempts: readonly KeyAttempt[];
}

/** The maximum number of keys that one process remembers. */
const mostKnown = 10_000;

/** Fewer keys than this are charged one by one, because charging them together takes two commands. */
const leastTogether = 2;

/** A window that ends sooner than this is charged by the exact command, which starts the next one. */
const marginMs = 1_000;

/**
 * Charges the windows of valid keys. There are two ways, and both are exact with any number of processes:
 *
 * - For one key, a pipeline decides attempts in the order of their arrival and starts windows.
 * - For many keys at once, one update adds to each window that is running, if the key is as this process last
 *   read it and its limits have room for all attempts. It marks each window that it adds to, and one read
 *   shows which ones it marked. What it did not mark is charged in the first way.
 */
export class KeyCharges {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;
  readonly #instance = new Types.ObjectId().toHexString();
  #turn = 0;
  /** By key and secret, so that a wrong secret is treated like an unknown key. The oldest is first. */
  readonly #known = new Map<string, KeyDoc>();
  readonly #keys = new Coalescer<KeyAttempt, Admission | null>((name, attempts) =>
    this.#decideEach(name, attempts),
  );
  readonly #together = new Coalescer<Charge, Decisions | null>(
    (_, charges) => this.#chargeTogether(charges),
    { lanes },
  );

  constructor(db: Database, time: StoreTime, catalogue: Catalogue) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
  }

  /**
   * Decides an attempt. Returns null if the credentials are invalid. A wrong secret and a revoked or expired
   * key find nothing, like an unknown key, and take the same time.
   */
  decide(attempt: KeyAttempt): Promise<Admission | null> {
    return this.#keys.run(nameOf(attempt), attempt);
  }

  async #decideEach(name: string, attempts: readonly KeyAttempt[]): Promise<Decisions> {
    const known = this.#known.get(name);
    if (known && this.#isWithinLimits({ known, attempts })) {
      const decisions = await this.#together.run("", { known, attempts });
      if (decisions) return decisions;
    }
    return this.#chargeOne(attempts);
  }

  /** Whether all attempts would be admitted now, to windows that run for some time yet. */
  #isWithinLimits({ known, attempts }: Charge): boolean {
    const now = this.#time.estimate();
    if (now === null) return false;
    const { requests = null, writes = null } = known.windows;
    const charged = attempts.some(({ write }) => write) ? [requests, writes] : [requests];
    return (
      charged.every((window) => runsOn(window, now)) &&
      decideTogether(attempts, { ...known, now }).decisions.every(
        (admission) => admission?.outcome === "admitted",
      )
    );
  }

  /**
   * Charges each key in one command for all of them. A charge that is null for a key was not made.
   *
   * @throws if it is unknown which charges were made.
   */
  async #chargeTogether(charges: readonly Charge[]): Promise<(Decisions | null | Error)[]> {
    if (charges.length < leastTogether) {
      const each = charges.map(({ attempts }) => this.#chargeOne(attempts));
      return (await Promise.allSettled(each)).map((one) =>
        one.status === "fulfilled" ? one.value : one.reason,
      );
    }
    const mark = ++this.#turn;
    // All processes charge in the same order, so that they do not deadlock.
    const ordered = charges.toSorted((one, other) => (one.known._id < other.known._id ? -1 : 1));
    try {
      await this.#db.keys.raw.bulkWrite(
        ordered.map((charge) => ({ updateOne: this.#chargeOf(charge, mark) })),
        { ordered: false },
      );
    } catch (error) {
      if (!isPartlyDone(error)) throw error;
    }
    const docs = await this.#read(charges.map(({ known }) => known));
    return charges.map(({ known, attempts }) => {
      const doc = docs.get(known._id);
      if (doc) this.#observe(nameOf(attempts[0]), doc, doc.windows);
      const isMarked = doc?.windows.requests?.by?.[this.#instance] === mark;
      return isMarked ? decideCharged(attempts, doc) : null;
    });
  }

  /** The update for one key. Its conditions are those of `decideAdmission` for a key that is as known. */
  #chargeOf({ known, attempts }: Charge, mark: number) {
    const { _id, businessId, secretHash, allowIps, requestsPerMinute, writesPerMinute } = known;
    const { requests, writes } = known.windows;
    const all = attempts.length;
    const toWrite = attempts.filter(({ write }) => write).length;
    const filter = {
      ...{ _id, businessId, secretHash, allowIps, requestsPerMinute, writesPerMinute },
      revokedAt: null,
      "business.apiAccess": true,
      "windows.requests.startedAt": requests?.startedAt,
      "windows.requests.count": { $lte: requestsPerMinute - all },
      ...(toWrite > 0 && {
        "windows.writes.startedAt": writes?.startedAt,
        "windows.writes.count": { $lte: writesPerMinute - toWrite },
      }),
    } as Filter<KeyDoc>;
    const update = {
      $inc: {
        "windows.requests.count": all,
        ...(toWrite > 0 && { "windows.writes.count": toWrite }),
      },
      $set: { [`windows.requests.by.${this.#instance}`]: mark },
    };
    return { filter, update };
  }

  async #read(known: readonly KeyDoc[]): Promise<Map<string, KeyNow>> {
    const docs = (await this.#db.keys.raw
      .find(
        {
          _id: { $in: known.map(({ _id }) => _id) },
          businessId: { $in: [...new Set(known.map(({ businessId }) => businessId))] },
        },
        { projection: { ...keyFields, now: this.#time.expression() } },
      )
      .toArray()) as KeyNow[];
    return new Map(docs.map((doc) => [doc._id, doc]));
  }

  async #chargeOne(attempts: readonly KeyAttempt[]): Promise<Decisions> {
    const [first] = attempts;
    if (!first) return [];
    const name = nameOf(first);
    const { businessId } = this.#known.get(name) ?? {};
    const doc =
      (businessId !== undefined && (await this.#findAndCharge(attempts, { businessId }))) ||
      (await this.#findAndCharge(attempts));
    if (!doc) {
      this.#known.delete(name);
      return attempts.map(() => null);
    }
    const { decisions, windows } = decideTogether(attempts, doc);
    this.#observe(name, doc, windows);
    return decisions;
  }

  /**
   * Charges a key, and returns it as it was before. `at` is where it was found before: on a sharded cluster,
   * a command without a business id goes to every shard.
   */
  #findAndCharge(
    attempts: readonly KeyAttempt[],
    at: { readonly businessId?: string } = {},
  ): Promise<KeyNow | null> {
    const now = this.#time.expression();
    const { keyId, secretHash } = attempts[0]?.credentials ?? { keyId: "", secretHash: "" };
    return this.#db.keys.raw.findOneAndUpdate(
      {
        ...{ _id: keyId, ...at, secretHash, revokedAt: null },
        $expr: { $or: [{ $eq: ["$expiresAt", null] }, { $gt: ["$expiresAt", now] }] },
      },
      chargeKey(
        attempts.map(({ write, address }) => ({ write, address: addressDigits(address) })),
        now,
      ),
      { returnDocument: "before", projection: { ...keyFields, now } },
    ) as Promise<KeyNow | null>;
  }

  #observe(name: string, { now, ...key }: KeyNow, windows: KeyWindows): void {
    this.#time.observe(now);
    this.#catalogue.observe(key.businessId, key.business?.revision ?? 0);
    this.#known.delete(name);
    this.#known.set(name, { ...key, windows });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** All fields of a key. They are listed, because a projection that adds the time must name every field. */
const keyFields = {
  businessId: 1,
  name: 1,
  purpose: 1,
  secretHash: 1,
  scopes: 1,
  allowIps: 1,
  requestsPerMinute: 1,
  writesPerMinute: 1,
  createdAt: 1,
  expiresAt: 1,
  revokedAt: 1,
  business: 1,
  windows: 1,
} as const;

function nameOf(attempt: KeyAttempt | undefined): string {
  const { keyId = "", secretHash = "" } = attempt?.credentials ?? {};
  return `${keyId} ${secretHash}`;
}

function runsOn(window: Window | null, now: number): boolean {
  const seconds = limits.keyWindowSeconds;
  return [now, now + marginMs].every((at) => currentWindow(window, seconds, at) === window);
}

/** Repeats the decisions of the pipeline, in the same order, from the previous windows. */
function decideTogether(attempts: readonly Attempt[], doc: KeyNow) {
  const key = readKey(doc);
  const business = businessOfKey(doc);
  let { requests = null, writes = null } = doc.windows;
  const decisions = attempts.map((attempt) => {
    if (!business) return null;
    const facts = { key, business, signIns: null, requests, writes };
    const decided = decideAdmission(attempt, facts, doc.now);
    requests = decided.requests ?? requests;
    writes = decided.writes ?? writes;
    return decided.admission;
  });
  return { decisions, windows: { requests, writes } };
}

/**
 * The decisions on attempts that were charged, from the key as it was read afterwards. Other processes may
 * have charged it in between, so the windows may have less left than after these attempts, but never more. A
 * key that has ended in between admits nothing.
 */
function decideCharged(attempts: readonly Attempt[], doc: KeyNow): Decisions {
  const { requests = null, writes = null } = doc.windows;
  const before = (window: Window | null, charges: number) =>
    window && { startedAt: window.startedAt, count: Math.max(0, window.count - charges) };
  const windows = {
    requests: before(requests, attempts.length),
    writes: before(writes, attempts.filter(({ write }) => write).length),
  };
  return decideTogether(attempts, { ...doc, windows }).decisions.map((admission) =>
    admission?.outcome === "unauthorized" ? null : admission,
  );
}
