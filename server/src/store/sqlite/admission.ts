import { limits } from "@queue-api/contract/limits";
import {
  type Admission,
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { Clock } from "../../rules/ports.js";
import type { Business } from "../../rules/records.js";
import type { Window, WindowReport } from "../../rules/window.js";
import type { Connection } from "./connection.js";
import { businesses, type ChargedKey, keys } from "./schema.js";
import { readOnce } from "./steps.js";
import { prepareWindows } from "./windows.js";

type KeyFacts = Omit<AdmissionFacts, "signIns">;

/** They match no key, but the query runs anyway, so that the time does not differ. */
const noCredentials = { keyId: "", secretHash: "" };

const unknownKey: KeyFacts = { key: null, business: null, requests: null, writes: null };

/** Admission of API requests. */
export function prepareAdmission(db: Connection, clock: Clock) {
  const windows = prepareWindows(db, limits.failedSignInWindowSeconds);
  // A wrong secret finds nothing, like an unknown key, and takes the same time.
  const findKey = db.query<[ChargedKey, Business]>(`
    SELECT json_array(${keys.json("k")}, ${businesses.json("b")})
    FROM api_keys k JOIN businesses b ON b.id = k.business_id
    WHERE k.id = ? AND k.secret_hash = ?`);
  const keepWindows = keys.update(db, "id");

  const nameOf = (subject: string) => `key ${subject}`;

  function factsOf(keyId: string, secretHash: string): KeyFacts {
    const found = findKey(keyId, secretHash);
    if (!found) return unknownKey;
    const [{ requests, writes, ...key }, business] = found;
    return { key, business, requests, writes };
  }

  return {
    /**
     * Decides attempts in order. They share what they read, so that many requests of one key that wait for one
     * transaction cost one read and one write of its windows.
     */
    admit(calls: readonly [Attempt][]): Admission[] {
      const now = clock();
      const subjects = new Map<string, Window | null>();
      const keys = new Map<string, KeyFacts>();
      const failed = new Map<string, Window>();
      const charged = new Map<string, KeyFacts>();
      const admissions = calls.map(([attempt]) => {
        const { subject } = attempt;
        const { keyId, secretHash } = attempt.credentials ?? noCredentials;
        const credentials = `${keyId} ${secretHash}`;
        const known = readOnce(keys, credentials, () => factsOf(keyId, secretHash));
        const signIns = readOnce(subjects, subject, () => windows.get(nameOf(subject)));
        const decision = decideAdmission(attempt, { signIns, ...known }, now);
        if (decision.signIns) {
          subjects.set(subject, decision.signIns);
          failed.set(subject, decision.signIns);
        }
        if (decision.requests) {
          const { requests, writes = known.writes } = decision;
          keys.set(credentials, { ...known, requests, writes });
          charged.set(credentials, { ...known, requests, writes });
        }
        return decision.admission;
      });
      for (const [subject, signIns] of failed) windows.keep(nameOf(subject), signIns);
      for (const { key, requests, writes } of charged.values()) {
        const id = key?.id ?? "";
        keepWindows({ id, requests: null, writes: null }, { id, requests, writes });
      }
      return admissions;
    },

    signInWindow: (subject: string): WindowReport =>
      signInReport(windows.get(nameOf(subject)), clock()),
  };
}
