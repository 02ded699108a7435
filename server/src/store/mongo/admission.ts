import { limits } from "@queue-api/contract/limits";
import {
  type Admission,
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { Window, WindowReport } from "../../rules/window.js";
import { chargeSignIns } from "./admission-pipeline.js";
import { Bars } from "./bars.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer } from "./coalescer.js";
import type { SignInDoc } from "./collections/sign-ins.js";
import type { Database } from "./connection.js";
import { KeyCharges } from "./key-charges.js";
import type { StoreTime } from "./time.js";
import { upsert } from "./upsert.js";

type WithServerTime<Doc> = Doc & { readonly now: number };

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
  readonly #bars: Bars;
  readonly #keys: KeyCharges;
  readonly #failures = new Coalescer<Attempt, Admission>((_, attempts) => this.#fail(attempts));

  constructor(db: Database, time: StoreTime, catalogue: Catalogue) {
    this.#db = db;
    this.#time = time;
    this.#bars = new Bars(db.signIns);
    this.#keys = new KeyCharges(db, time, catalogue);
  }

  /**
   * Takes one command for a valid key, or a share of two for many keys at once. A wrong key, or a subject that
   * may be barred, takes another one.
   */
  async admit(attempt: Attempt): Promise<Admission> {
    const barred = await this.#barred(attempt);
    if (barred) return barred;
    const { credentials } = attempt;
    if (credentials) {
      const admission = await this.#keys.decide({ ...attempt, credentials });
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
