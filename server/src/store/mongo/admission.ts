import { limits } from "@queue-api/contract/limits";
import {
  type Admission,
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { Credentials } from "../../rules/key.js";
import type { Window, WindowReport } from "../../rules/window.js";
import { addressDigits } from "./address-range.js";
import { chargeKey, chargeSignIns } from "./admission-pipeline.js";
import { Bars } from "./bars.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer } from "./coalescer.js";
import { businessOfKey, type KeyDoc, readKey } from "./collections/keys.js";
import type { SignInDoc } from "./collections/sign-ins.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { upsert } from "./upsert.js";

type WithServerTime<Doc> = Doc & { readonly now: number };
type KeyAttempt = Attempt & { readonly credentials: Credentials };

const nothingKnown: AdmissionFacts = {
  key: null,
  business: null,
  signIns: null,
  requests: null,
  writes: null,
};

/** Admission of API requests. */
export class AdmissionControl {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;
  readonly #bars: Bars;
  readonly #keys = new Coalescer<KeyAttempt, Admission | null>((_, attempts) =>
    this.#charge(attempts),
  );
  readonly #failures = new Coalescer<Attempt, Admission>((_, attempts) => this.#fail(attempts));

  constructor(db: Database, time: StoreTime, catalogue: Catalogue) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
    this.#bars = new Bars(db.signIns);
  }

  /** Takes one command for a valid key. A wrong key, or a subject that may be barred, takes a second one. */
  async admit(attempt: Attempt): Promise<Admission> {
    const barred = await this.#barred(attempt);
    if (barred) return barred;
    const { credentials } = attempt;
    if (credentials) {
      const { keyId, secretHash } = credentials;
      const admission = await this.#keys.run(`${keyId} ${secretHash}`, { ...attempt, credentials });
      if (admission) return admission;
    }
    const failed = await this.#failures.run(attempt.subject, attempt);
    if (failed.window.remaining === 0) await this.#bars.learn(attempt.subject);
    return failed;
  }

  async signInWindow(subject: string): Promise<WindowReport> {
    const doc = await this.#signIns(subject);
    return signInReport(doc, doc?.now ?? 0);
  }

  async #barred(attempt: Attempt): Promise<Admission | null> {
    const { subject } = attempt;
    if (!(await this.#bars.suspects(subject))) return null;
    const signIns = await this.#signIns(subject);
    if (signIns) {
      const { admission } = decideAdmission(attempt, { ...nothingKnown, signIns }, signIns.now);
      if (admission.outcome === "barred") {
        await this.#bars.learn(subject);
        return admission;
      }
    }
    this.#bars.forget(subject);
    return null;
  }

  async #signIns(subject: string): Promise<WithServerTime<SignInDoc> | null> {
    const projection = { startedAt: 1, count: 1, now: this.#time.expression() };
    const doc = await this.#db.signIns.raw.findOne({ _id: subject }, { projection });
    return doc as WithServerTime<SignInDoc> | null;
  }

  /**
   * Decides attempts with one key and secret. Returns null for each if the credentials are invalid. A wrong
   * secret and a revoked or expired key find nothing, like an unknown key, and take the same time.
   */
  async #charge(attempts: readonly KeyAttempt[]): Promise<(Admission | null)[]> {
    const now = this.#time.expression();
    const { keyId, secretHash } = attempts[0]?.credentials ?? { keyId: "", secretHash: "" };
    const doc = (await this.#db.keys.raw.findOneAndUpdate(
      {
        _id: keyId,
        secretHash,
        revokedAt: null,
        $expr: { $or: [{ $eq: ["$expiresAt", null] }, { $gt: ["$expiresAt", now] }] },
      },
      chargeKey(
        attempts.map(({ write, address }) => ({ write, address: addressDigits(address) })),
        now,
      ),
      { returnDocument: "before", projection: { ...keyFields, now } },
    )) as WithServerTime<KeyDoc> | null;
    if (!doc) return attempts.map(() => null);
    this.#time.observe(doc.now);
    this.#catalogue.observe(doc.businessId, doc.business?.revision ?? 0);
    return decideTogether(attempts, doc);
  }

  /** Counts failed sign-ins of one subject. */
  async #fail(attempts: readonly Attempt[]): Promise<Admission[]> {
    const [first] = attempts;
    if (!first) return [];
    const now = this.#time.expression();
    const {
      startedAt,
      room,
      now: at,
    } = await this.#chargeSignIns(first.subject, attempts.length, now);
    let signIns: Window | null = { startedAt, count: limits.failedSignIns - room };
    return attempts.map((attempt) => {
      const decided = decideAdmission(attempt, { ...nothingKnown, signIns }, at);
      signIns = decided.signIns ?? signIns;
      return decided.admission;
    });
  }

  #chargeSignIns(
    subject: string,
    failures: number,
    now: unknown,
  ): Promise<WithServerTime<SignInDoc>> {
    return upsert(this.#db.signIns, {
      empty: { _id: subject, startedAt: 0, count: 0, room: limits.failedSignIns, closedAt: null },
      update: chargeSignIns(failures, now),
      projection: { startedAt: 1, room: 1, now },
    }) as Promise<WithServerTime<SignInDoc>>;
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

/** Repeats the decisions of the database, in the same order, from the previous windows. */
function decideTogether(
  attempts: readonly Attempt[],
  doc: WithServerTime<KeyDoc>,
): (Admission | null)[] {
  const key = readKey(doc);
  const business = businessOfKey(doc);
  if (!business) return attempts.map(() => null);
  let requests = doc.windows.requests ?? null;
  let writes = doc.windows.writes ?? null;
  return attempts.map((attempt) => {
    const facts = { key, business, signIns: null, requests, writes };
    const decided = decideAdmission(attempt, facts, doc.now);
    requests = decided.requests ?? requests;
    writes = decided.writes ?? writes;
    return decided.admission;
  });
}
