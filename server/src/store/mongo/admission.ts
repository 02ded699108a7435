import { limits } from "@queue-api/contract/limits";
import {
  type Admission,
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { KeyInUse } from "../../rules/records.js";
import type { AdmissionStore } from "../port/requests.js";
import { Batches } from "./batches.js";
import { type Database, raw, readAll } from "./connection.js";
import {
  type BusinessDoc,
  newChangeId,
  readBusiness,
  readKey,
  remembered,
  settingsOnly,
  type WindowDoc,
} from "./documents.js";
import { duplicateOf, repeatable, untilDone } from "./guard.js";
import { changeWindow, readWindows } from "./sign-ins.js";
import type { StoreTime } from "./time.js";

/** What attempts with one key are decided on. */
interface Facts {
  readonly business: BusinessDoc | null;
  readonly key: KeyInUse | null;
  readonly windows: ReadonlyMap<string, WindowDoc>;
}

/** The windows of a key. The first is null if it has made no request lately. */
type KeyWindows = Pick<AdmissionFacts, "requests" | "writes">;

/** The change of the windows of a key. */
interface Charge {
  readonly keyId: string;
  readonly before: KeyWindows;
  readonly after: KeyWindows;
  readonly changeId: string;
}

const signInName = (subject: string) => `key ${subject}`;
const keyName = (keyId: string) => `requests ${keyId}`;

/**
 * Admits API requests. The requests of one key that wait in this process are decided together, on its business
 * and windows as they are now. They are charged by one update that matches the windows that were read. What
 * different keys read and charge at the same time is sent in one command.
 */
export function mongoAdmission(db: Database, { now }: StoreTime): AdmissionStore {
  const { businesses, windows } = db;

  const reads = new Batches<readonly Attempt[], Facts>(async (waiting) => {
    const attempts = waiting.flat();
    const keyIds = unique(attempts.map(keyIdOf));
    const subjects = unique(attempts.map(({ subject }) => subject));
    const isAsked = { $in: ["$$key.id", { $literal: keyIds }] };
    const keys = { $filter: { input: "$keys", as: "key", cond: isAsked } };
    const fields = { ...settingsOnly, keys };
    const [found, read] = await Promise.all([
      readAll(businesses, { "keys.id": { $in: keyIds } }, { fields, limit: -keyIds.length }),
      readWindows(db, [...subjects.map(signInName), ...keyIds.map(keyName)]),
    ]);
    return waiting.map(([attempt]) => {
      const keyId = keyIdOf(attempt);
      const business = found.find(({ keys }) => keys.some(({ id }) => id === keyId)) ?? null;
      const key = business?.keys.find(({ id }) => id === keyId) ?? null;
      return { business, key, windows: read };
    });
  });

  /** Stores the windows of keys. The result tells whether they were still as they had been read. */
  const charges = new Batches<Charge, boolean>(async (waiting) => {
    const statements = waiting.map(({ keyId, before, after, changeId }) => ({
      updateOne: {
        filter: { _id: keyName(keyId), ...before },
        update: { $set: { ...after, endsAt: endOf(after) }, $push: remembered(changeId) },
        // If another request made the window by now, its id is a duplicate.
        upsert: before.requests === null,
      },
    }));
    const sent = raw(windows).bulkWrite(statements as never, { ordered: false });
    const charged = await sent.catch((error) => {
      if (duplicateOf(error) === null) throw error;
      return { matchedCount: 0, upsertedCount: 0 };
    });
    const { matchedCount, upsertedCount } = charged;
    if (matchedCount + upsertedCount === waiting.length) return waiting.map(() => true);
    // The response does not tell which of them were charged.
    const names = waiting.map(({ keyId }) => keyName(keyId));
    const after = await readWindows(db, names);
    return waiting.map(({ keyId, changeId }) => {
      return after.get(keyName(keyId))?.changes?.includes(changeId) === true;
    });
  });

  const failures = new Batches<Attempt, Admission>((attempts) => {
    const name = signInName(attempts[0]?.subject ?? "");
    return changeWindow(db, name, limits.failedSignInWindowSeconds, (window) => {
      let signIns = window;
      const nobody = { key: null, business: null, requests: null, writes: null };
      const result = attempts.map((attempt) => {
        const decided = decideAdmission(attempt, { signIns, ...nobody }, now());
        signIns = decided.signIns ?? signIns;
        return decided.admission;
      });
      return { result, after: signIns };
    });
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
    const made = new Map<string, readonly Admission[]>();
    return untilDone(async () => {
      const facts = await reads.run("", attempts);
      const { business, key } = facts;
      if (!business || !key) return { done: attempts.map(refuse) };
      const kept = facts.windows.get(keyName(key.id));
      const own = kept?.changes?.map((changeId) => made.get(changeId)).find(Boolean);
      if (own) return { done: withRefusals(attempts, own) }; // by an earlier try
      const before = { requests: kept?.requests ?? null, writes: kept?.writes ?? null };
      const { admissions, after } = decideAll(attempts, facts, before, now());
      if (after !== before) {
        const changeId = newChangeId();
        made.set(changeId, admissions);
        const lastUsedAt = after.requests?.startedAt ?? 0;
        if (lastUsedAt > (key.lastUsedAt ?? 0)) {
          const $max = { "keys.$.lastUsedAt": lastUsedAt }; // once a window
          await repeatable(() => businesses.updateOne({ "keys.id": key.id }, { $max }));
        }
        const charge = { keyId: key.id, before, after, changeId };
        if (!(await charges.run("", charge))) return "lost";
      }
      return { done: withRefusals(attempts, admissions) };
    });
  });

  return {
    admit: (attempt) =>
      attempt.credentials ? admissions.run(attempt.credentials.keyId, attempt) : refuse(attempt),

    async signInWindow(subject) {
      const name = signInName(subject);
      return signInReport((await readWindows(db, [name])).get(name)?.requests ?? null, now());
    },
  };
}

const keyIdOf = (attempt: Attempt | undefined) => attempt?.credentials?.keyId ?? "";

const unique = (names: readonly string[]) => [...new Set(names)];

/** When windows of a key are over. */
function endOf({ requests, writes }: KeyWindows): number {
  const startedAt = Math.max(requests?.startedAt ?? 0, writes?.startedAt ?? 0);
  return startedAt + limits.keyWindowSeconds * 1_000;
}

/** Decides the attempts of one key in order. Returns its windows after them, `before` itself if none is charged. */
function decideAll(
  attempts: readonly Attempt[],
  { business: doc, key: keyDoc, windows }: Facts,
  before: KeyWindows,
  now: number,
): { readonly admissions: readonly Admission[]; readonly after: KeyWindows } {
  const business = doc && readBusiness(doc);
  const key = keyDoc && readKey(keyDoc);
  let after = before;
  const admissions = attempts.map((attempt) => {
    const signIns = windows.get(signInName(attempt.subject))?.requests ?? null;
    const decided = decideAdmission(attempt, { key, business, signIns, ...after }, now);
    if (decided.requests) {
      after = { requests: decided.requests, writes: decided.writes ?? after.writes };
    }
    return decided.admission;
  });
  return { admissions, after };
}
