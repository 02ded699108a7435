import { limits } from "@queue-api/contract/limits";
import { type Admission, type Attempt, decideAdmission, signInReport } from "../rules/admission.js";
import type { WindowReport } from "../rules/window.js";
import { businessOf } from "./businesses.js";
import { change, view } from "./operation.js";
import { keepWindows, keyWindowsId, keyWindowsKeptSeconds, subjectWindowId } from "./windows.js";

/** Admission of API requests: keys, addresses and their windows. */
export const admission = {
  /**
   * Reads the key, its business and the windows, decides with `decideAdmission`, and writes the windows that it charges:
   * those of the key, or that of the subject.
   */
  admit: change(
    async (tx, attempt: Attempt): Promise<Admission> => {
      // Without credentials it looks for a key that does not exist, so that the time does not differ.
      const keyId = attempt.credentials?.keyId ?? "";
      const [record, windows] = await Promise.all([
        tx.find("businesses", { "keys.id": keyId }),
        tx.list("windows", {
          where: { id: [keyWindowsId(keyId), subjectWindowId(attempt.subject)] },
          limit: 2,
        }),
      ]);
      const ofKey = windows.find(({ id }) => id === keyWindowsId(keyId)) ?? null;
      const ofSubject = windows.find(({ id }) => id === subjectWindowId(attempt.subject)) ?? null;
      const facts = {
        key: record?.keys.find(({ id }) => id === keyId) ?? null,
        business: record && businessOf(record),
        signIns: ofSubject?.requests ?? null,
        requests: ofKey?.requests ?? null,
        writes: ofKey?.writes ?? null,
      };
      const decided = decideAdmission(attempt, facts, tx.now);
      const { signIns, requests, writes = facts.writes } = decided;
      if (signIns) {
        const after = { id: subjectWindowId(attempt.subject), requests: signIns, writes: null };
        keepWindows(tx, ofSubject, after, limits.failedSignInWindowSeconds);
      } else if (requests) {
        const after = { id: keyWindowsId(keyId), requests, writes };
        keepWindows(tx, ofKey, after, keyWindowsKeptSeconds);
      }
      return decided.admission;
    },
    {
      // The address is part of it: a key id is no secret, so requests that send it with a wrong secret must not delay the key.
      mutex: ({ credentials, subject }) => `admission ${subject} ${credentials?.keyId}`,
      isDurable: false,
    },
  ),

  /** The window of failed sign-ins of a subject, for responses to requests without a known key. */
  signInWindow: view(async (tx, subject: string): Promise<WindowReport> => {
    const windows = await tx.find("windows", { id: subjectWindowId(subject) });
    return signInReport(windows?.requests ?? null, tx.now);
  }),
};
