import {
  type Admission,
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { Clock } from "../../rules/ports.js";
import type { Window, WindowReport } from "../../rules/window.js";
import type { AdmissionStore } from "../port/admission.js";
import type { Connection } from "./connection.js";
import {
  type BusinessRow,
  businessColumns,
  type KeyRow,
  keyColumns,
  readBusiness,
  readKey,
} from "./records.js";
import type { WriteBatcher } from "./write-batcher.js";

type WindowRow = [startedAt: number | null, count: number | null];
type KeyFacts = Omit<AdmissionFacts, "signIns">;

/** They match no key, but the query runs anyway, so that the time does not differ. */
const noCredentials = { keyId: "", secretHash: "" };

const unknownKey: KeyFacts = { key: null, business: null, requests: null, writes: null };

/** Admission of API requests. */
export interface Admissions {
  /**
   * Decides attempts in order. They share what they read, so that many requests of one key in one turn of the
   * event loop cost one read and one write of its windows.
   */
  admit(attempts: readonly Attempt[]): Admission[];
  signInWindow(subject: string): WindowReport;
}

export function prepareAdmission(db: Connection, clock: Clock): Admissions {
  const findSignIns = db.query<WindowRow>(
    "SELECT json_array(started_at, count) FROM sign_in_windows WHERE subject = ?",
  );
  // A wrong secret finds nothing, like an unknown key, and takes the same time.
  const findKey = db.query<[KeyRow, BusinessRow, requests: WindowRow, writes: WindowRow]>(`
    SELECT json_array(
      json_array(${keyColumns("k")}), json_array(${businessColumns("b")}),
      json_array(w.requests_started_at, w.requests_count),
      json_array(w.writes_started_at, w.writes_count))
    FROM api_keys k
    JOIN businesses b ON b.id = k.business_id
    LEFT JOIN key_windows w ON w.key_id = k.id
    WHERE k.id = ? AND k.secret_hash = ?`);
  const keepSignIns = db.command(`
    INSERT INTO sign_in_windows (subject, started_at, count) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET started_at = excluded.started_at, count = excluded.count`);
  const keepKeyWindows = db.command(`
    INSERT INTO key_windows
      (key_id, requests_started_at, requests_count, writes_started_at, writes_count)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      requests_started_at = excluded.requests_started_at, requests_count = excluded.requests_count,
      writes_started_at = excluded.writes_started_at, writes_count = excluded.writes_count`);

  function signInsOf(subject: string): Window | null {
    const row = findSignIns(subject);
    return row && readWindow(row);
  }

  function factsOf(credentials: string): KeyFacts {
    const [keyId = "", secretHash = ""] = credentials.split(" ");
    const row = findKey(keyId, secretHash);
    if (!row) return unknownKey;
    const [key, business, requests, writes] = row;
    return {
      key: readKey(key),
      business: readBusiness(business),
      requests: readWindow(requests),
      writes: readWindow(writes),
    };
  }

  return {
    admit(attempts) {
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
        if (signIns) keepSignIns(subject, signIns.startedAt, signIns.count);
      }
      for (const [, { key, requests, writes }] of keys.changes()) {
        if (!key || !requests) continue;
        const { startedAt = null, count = null } = writes ?? {};
        keepKeyWindows(key.id, requests.startedAt, requests.count, startedAt, count);
      }
      return admissions;
    },

    signInWindow(subject) {
      return signInReport(signInsOf(subject), clock());
    },
  };
}

function readWindow([startedAt, count]: WindowRow): Window | null {
  return startedAt === null || count === null ? null : { startedAt, count };
}

/** Admission for the port: the attempts of one turn of the event loop are decided in one step. */
export function admissionStore(
  { admit, signInWindow }: Admissions,
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
