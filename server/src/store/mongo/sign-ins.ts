import {
  decideSignIn,
  type SignInAdmission,
  type SignInAttempt,
  signInWindowsOf,
} from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import { chargeOwnerSignIn, forgiveOwnerSignIn } from "./admission-pipeline.js";
import type { OwnerSignInDoc } from "./collections/owner-sign-ins.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { upsert } from "./upsert.js";

/** The windows of failed sign-ins of owners. */
export class SignIns {
  readonly #db: Database;
  readonly #time: StoreTime;

  constructor(db: Database, time: StoreTime) {
    this.#db = db;
    this.#time = time;
  }

  /** Charges the two windows in sequence, each in one step, so that neither can exceed its limit. */
  async admit(attempt: SignInAttempt): Promise<SignInAdmission> {
    const names = signInWindowsOf(attempt);
    const address = await this.#charge(names.address);
    const first = decideSignIn({ address: address.window, email: null }, address.now);
    if (first.admission.outcome === "throttled") return first.admission;
    const email = await this.#charge(names.email);
    return decideSignIn({ address: null, email: email.window }, email.now).admission;
  }

  async forgive(attempt: SignInAttempt, chargedAt: number): Promise<void> {
    const { address, email } = signInWindowsOf(attempt);
    await this.#db.ownerSignIns.raw.updateMany(
      { _id: { $in: [address, email] } },
      forgiveOwnerSignIn(chargedAt),
    );
  }

  /** Charges a window that is below its limit. Returns the window before the charge. */
  async #charge(name: string): Promise<{ window: Window; now: number }> {
    const now = this.#time.expression();
    const doc = (await upsert(this.#db.ownerSignIns, {
      empty: { _id: name, startedAt: 0, count: 0, before: 0 },
      update: chargeOwnerSignIn(now),
      projection: { startedAt: 1, before: 1, now },
    })) as OwnerSignInDoc & { readonly now: number };
    return { window: { startedAt: doc.startedAt, count: doc.before }, now: doc.now };
  }
}
