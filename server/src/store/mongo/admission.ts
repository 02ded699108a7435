import { limits } from "@queue-api/contract/limits";
import {
  type Admission,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { Window } from "../../rules/window.js";
import type { AdmissionStore } from "../port/requests.js";
import { Batches } from "./batches.js";
import { type Database, raw, readOne } from "./connection.js";
import {
  type BusinessDoc,
  type KeyDoc,
  newChangeId,
  readBusiness,
  readKey,
  settingsOnly,
} from "./documents.js";
import { untilDone } from "./guard.js";
import { changeWindow, readWindows } from "./sign-ins.js";
import type { StoreTime } from "./time.js";

/** A business as it was last read, with one of its keys. */
interface Known {
  readonly business: BusinessDoc;
  readonly key: KeyDoc;
}

/** Windows of failed sign-ins, by name. */
type Failures = ReadonlyMap<string, Window>;

/** The maximum number of keys that one process remembers. */
const mostKnown = 10_000;

const windowName = (subject: string) => `key ${subject}`;

/**
 * Admits API requests. The requests of one key that wait in this process are decided together, and charged by
 * one update that matches the business and the windows that were read. A remembered business is used only for
 * such an update, so that a change takes effect from the next request on; any other decision reads it again.
 */
export function mongoAdmission(db: Database, { now }: StoreTime): AdmissionStore {
  const { businesses } = db;
  const known = new Map<string, Known>();

  async function read(keyId: string): Promise<Known | null> {
    const fields = { ...settingsOnly, keys: { $elemMatch: { id: keyId } } };
    const business = await readOne(businesses, { "keys.id": keyId }, { fields });
    const key = business?.keys.find(({ id }) => id === keyId);
    return business && key ? { business, key } : null;
  }

  function remember(keyId: string, found: Known): void {
    known.delete(keyId);
    known.set(keyId, found);
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  }

  const failures = new Batches<Attempt, Admission>((attempts) => {
    const name = windowName(attempts[0]?.subject ?? "");
    return changeWindow(db, name, limits.failedSignInWindowSeconds, (window) => {
      let signIns = window;
      const nobody = { key: null, business: null, requests: null, writes: null };
      const result = attempts.map((attempt) => {
        const decided = decideAdmission(attempt, { ...nobody, signIns }, now());
        signIns = decided.signIns ?? signIns;
        return decided.admission;
      });
      return { result, after: signIns };
    });
  });

  /** Reads the windows of all attempts that wait, of any key, in one command. */
  const failedSignIns = new Batches<readonly Attempt[], Failures>(async (waiting) => {
    const names = waiting.flat().map(({ subject }) => windowName(subject));
    const found = await readWindows(db, [...new Set(names)]);
    return waiting.map(() => found);
  });

  const refuse = (attempt: Attempt) => failures.run(attempt.subject, attempt);

  /** Charges the failed sign-ins. */
  function withRefusals(attempts: readonly Attempt[], admissions: readonly Admission[]) {
    return admissions.map((admission, place) => {
      const attempt = attempts[place];
      return admission.outcome === "unauthorized" && attempt ? refuse(attempt) : admission;
    });
  }

  const admissions = new Batches<Attempt, Admission>((attempts) => {
    const keyId = attempts[0]?.credentials?.keyId ?? "";
    const made = new Map<string, readonly Admission[]>();
    return untilDone(async () => {
      const remembered = known.get(keyId);
      known.delete(keyId); // until it is known to be right
      const [found, signIns] = await Promise.all([
        remembered ?? read(keyId),
        failedSignIns.run("", attempts),
      ]);
      if (!found) return { done: attempts.map(refuse) };
      const own = made.get(found.key.charge ?? "");
      if (own) return { done: withRefusals(attempts, own) }; // by an earlier try
      const { admissions, key } = decideAll(attempts, found, signIns, now());
      if (remembered && admissions.some((one) => one.outcome !== "admitted")) return "lost";
      if (key?.charge) made.set(key.charge, admissions);
      if (key && !(await charge(found, key))) return "lost";
      remember(keyId, key ? { ...found, key } : found);
      return { done: withRefusals(attempts, admissions) };
    });
  });

  /** Stores the windows of a key after its charge, if nothing changed since it was read. */
  async function charge({ business, key }: Known, after: KeyDoc): Promise<boolean> {
    const { _id, id, revision } = business;
    const { requests, writes } = key;
    const change = { "keys.$.requests": after.requests, "keys.$.writes": after.writes };
    const { matchedCount } = await raw(businesses).updateOne(
      { _id, id, revision, keys: { $elemMatch: { id: key.id, requests, writes } } },
      { $set: { ...change, "keys.$.lastUsedAt": after.lastUsedAt, "keys.$.charge": after.charge } },
    );
    return matchedCount === 1;
  }

  return {
    admit: (attempt) =>
      attempt.credentials ? admissions.run(attempt.credentials.keyId, attempt) : refuse(attempt),

    async signInWindow(subject) {
      const name = windowName(subject);
      return signInReport((await readWindows(db, [name])).get(name) ?? null, now());
    },
  };
}

/** Decides the attempts of one key in order. Returns the key after its charges; null if none is charged. */
function decideAll(
  attempts: readonly Attempt[],
  { business: doc, key: keyDoc }: Known,
  signIns: Failures,
  now: number,
): { readonly admissions: readonly Admission[]; readonly key: KeyDoc | null } {
  const business = readBusiness(doc);
  const key = readKey(keyDoc);
  let after = keyDoc;
  const admissions = attempts.map((attempt) => {
    const { requests, writes } = after;
    const failed = signIns.get(windowName(attempt.subject)) ?? null;
    const facts = { key, business, signIns: failed, requests, writes };
    const decided = decideAdmission(attempt, facts, now);
    if (decided.requests) {
      const lastUsedAt = decided.requests.startedAt;
      after = {
        ...after,
        requests: decided.requests,
        writes: decided.writes ?? writes,
        lastUsedAt,
      };
    }
    return decided.admission;
  });
  return { admissions, key: after === keyDoc ? null : { ...after, charge: newChangeId() } };
}
