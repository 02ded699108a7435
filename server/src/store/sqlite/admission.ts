import { limits } from "@queue-api/contract/limits";
import {
  type Admission,
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { Clock } from "../../rules/ports.js";
import type { Business, KeyInUse } from "../../rules/records.js";
import type { Window, WindowReport } from "../../rules/window.js";
import type { AdmissionStore } from "../port/requests.js";
import type { Connection } from "./connection.js";
import { businesses, type KeyWindows, keys } from "./schema.js";
import { prepareWindows } from "./windows.js";
import type { WriteBatcher } from "./write-batcher.js";

type KeyFacts = Omit<AdmissionFacts, "signIns">;

/** They match no key, but the query runs anyway, so that the time does not differ. */
const noCredentials = { keyId: "", secretHash: "" };

const unknownKey: KeyFacts = { key: null, business: null, requests: null, writes: null };

/** Admission of API requests. */
export function prepareAdmission(db: Connection, clock: Clock) {
  const windows = prepareWindows(db, limits.failedSignInWindowSeconds);
  // A wrong secret finds nothing, like an unknown key, and takes the same time.
  const findKey = db.query<[KeyInUse & KeyWindows, Business]>(`
    SELECT json_array(${keys.json("k")}, ${businesses.json("b")})
    FROM api_keys k JOIN businesses b ON b.id = k.business_id
    WHERE k.id = ? AND k.secret_hash = ?`);
  const keepKeyWindows = db.command(`
    UPDATE api_keys SET last_used_at = ?, requests_count = ?, writes_started_at = ?, writes_count = ?
    WHERE id = ?`);

  const nameOf = (subject: string) => `key ${subject}`;
  const signInsOf = (subject: string): Window | null => windows.get(nameOf(subject));

  function factsOf(credentials: string): KeyFacts {
    const [keyId = "", secretHash = ""] = credentials.split(" ");
    const found = findKey(keyId, secretHash);
    if (!found) return unknownKey;
    const [{ lastUsedAt, requestsCount, writesStartedAt, writesCount, ...key }, business] = found;
    const requests = windowOf(lastUsedAt, requestsCount);
    return { key, business, requests, writes: windowOf(writesStartedAt, writesCount) };
  }

  return {
    /**
     * Decides attempts in order. They share what they read, so that many requests of one key in one turn of
     * the event loop cost one read and one write of its windows.
     */
    admit(attempts: readonly Attempt[]): Admission[] {
      const now = clock();
      const subjects = new Read(signInsOf);
      const keys = new Read(factsOf);
      const admissions = attempts.map((attempt) => {
        const { keyId, secretHash } = attempt.credentials ?? noCredentials;
        const credentials = `${keyId} ${secretHash}`;
        const known = keys.get(credentials);
        const facts = { ...known, signIns: subjects.get(attempt.subject) };
        const { admission, signIns, requests, writes } = decideAdmission(attempt, facts, now);
        if (signIns) subjects.change(attempt.subject, signIns);
        if (requests) {
          keys.change(credentials, { ...known, requests, writes: writes ?? known.writes });
        }
        return admission;
      });
      for (const [subject, signIns] of subjects.changes()) {
        if (signIns) windows.keep(nameOf(subject), signIns);
      }
      for (const [, { key, requests, writes }] of keys.changes()) {
        if (!key || !requests) continue;
        const { startedAt = null, count = null } = writes ?? {};
        keepKeyWindows(requests.startedAt, requests.count, startedAt, count, key.id);
      }
      return admissions;
    },

    signInWindow: (subject: string): WindowReport => signInReport(signInsOf(subject), clock()),
  };
}

function windowOf(startedAt: number | null, count: number | null): Window | null {
  return startedAt === null || count === null ? null : { startedAt, count };
}

/** Admission for the port: the attempts of one turn of the event loop are decided in one step. */
export function admissionStore(
  { admit, signInWindow }: ReturnType<typeof prepareAdmission>,
  writes: WriteBatcher,
): AdmissionStore {
  let gathering: { readonly attempts: Attempt[]; readonly done: Promise<Admission[]> } | null =
    null;

  function gather() {
    const attempts: Attempt[] = [];
    const close = () => {
      if (gathering?.attempts === attempts) gathering = null;
    };
    const done = writes.volatile(() => {
      close();
      return admit(attempts);
    });
    done.catch(close); // the batch failed to begin and rejects each of its attempts
    return { attempts, done };
  }

  return {
    async admit(attempt) {
      gathering ??= gather();
      const { attempts, done } = gathering;
      const place = attempts.push(attempt) - 1;
      const admission = (await done)[place];
      if (!admission) throw new Error("an attempt was left undecided");
      return admission;
    },
    signInWindow: async (subject) => signInWindow(subject),
  };
}

/** Facts that are read once within one step, and which of them changed. */
class Read<Fact> {
  readonly #facts = new Map<string, Fact>();
  readonly #changed = new Set<string>();
  readonly #read: (id: string) => Fact;

  constructor(read: (id: string) => Fact) {
    this.#read = read;
  }

  get(id: string): Fact {
    const known = this.#facts.get(id);
    if (known !== undefined) return known;
    const fact = this.#read(id);
    this.#facts.set(id, fact);
    return fact;
  }

  change(id: string, fact: Fact): void {
    this.#facts.set(id, fact);
    this.#changed.add(id);
  }

  *changes(): Iterable<[name: string, fact: Fact]> {
    for (const id of this.#changed) yield [id, this.get(id)];
  }
}
