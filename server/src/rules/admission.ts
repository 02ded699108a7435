import { limits } from "@queue-api/contract/limits";
import { isAllowed } from "./address.js";
import { type Credentials, isValidCredential } from "./key.js";
import type { ApiKey, Business } from "./records.js";
import {
  charged,
  currentWindow,
  isBelowLimit,
  report,
  tightest,
  type Window,
  type WindowLimit,
  type WindowReport,
} from "./window.js";

/** A request at admission, when only its headers have been read. */
export interface Attempt {
  /** The client's address in normal form. */
  readonly address: string;
  /** The subject that its failed sign-ins are counted for; see `signInSubject`. */
  readonly subject: string;
  /** Null if there was no key, or a malformed one. */
  readonly credentials: Credentials | null;
  /** Whether it is a POST request, which also counts as a write. */
  readonly write: boolean;
}

/** What the store knows about an attempt. */
export interface AdmissionFacts {
  readonly key: ApiKey | null;
  readonly business: Business | null;
  readonly signIns: Window | null;
  readonly requests: Window | null;
  readonly writes: Window | null;
}

/** The result of an attempt, with the window to report. */
export type Admission =
  | { readonly outcome: "barred" | "unauthorized"; readonly window: WindowReport }
  | {
      readonly outcome: "admitted" | "access_disabled" | "ip_not_allowed" | "rate_limited";
      readonly window: WindowReport;
      readonly key: ApiKey;
      readonly business: Business;
      /** The store's time. The rest of the request uses this time. */
      readonly now: number;
    };

/** The decision and the windows to store; an absent window stays unchanged. */
export interface AdmissionDecision {
  readonly admission: Admission;
  readonly signIns?: Window;
  readonly requests?: Window;
  readonly writes?: Window;
}

const signInLimit: WindowLimit = {
  name: "sign-ins",
  limit: limits.failedSignIns,
  seconds: limits.failedSignInWindowSeconds,
};

/** The report for a caller without a valid key: the window of failed sign-ins of its subject. */
export function signInReport(window: Window | null, now: number): WindowReport {
  return report(currentWindow(window, signInLimit.seconds, now), signInLimit, now);
}

/**
 * Checks in this order: barred subject, key, API access of the business, allowlist, both windows of the key.
 * A missing or wrong key charges the window of the subject. The windows of the key are charged only if all
 * checks pass.
 */
export function decideAdmission(
  attempt: Attempt,
  facts: AdmissionFacts,
  now: number,
): AdmissionDecision {
  const signIns = currentWindow(facts.signIns, signInLimit.seconds, now);
  if (!isBelowLimit(signIns, signInLimit)) {
    return { admission: { outcome: "barred", window: report(signIns, signInLimit, now) } };
  }

  const { key, business } = facts;
  const good = attempt.credentials !== null && isValidCredential(attempt.credentials, key, now);
  if (!good || !key || !business) {
    const failed = charged(signIns);
    const window = report(failed, signInLimit, now);
    return { admission: { outcome: "unauthorized", window }, signIns: failed };
  }

  const seconds = limits.keyWindowSeconds;
  const requestLimit = { name: "requests", limit: key.requestsPerMinute, seconds };
  const writeLimit = { name: "writes", limit: key.writesPerMinute, seconds };
  const requests = currentWindow(facts.requests, seconds, now);
  const writes = currentWindow(facts.writes, seconds, now);
  const reported = (requests: Window, writes: Window) => {
    const all = report(requests, requestLimit, now, [writeLimit]);
    return attempt.write ? tightest(all, report(writes, writeLimit, now, [requestLimit])) : all;
  };
  const caller = { key, business, now };

  const isBelow =
    isBelowLimit(requests, requestLimit) && (!attempt.write || isBelowLimit(writes, writeLimit));
  const refused = (outcome: "access_disabled" | "ip_not_allowed" | "rate_limited") => {
    return { admission: { outcome, window: reported(requests, writes), ...caller } };
  };
  if (!business.apiAccess) return refused("access_disabled");
  if (!isAllowed(key.allowIps, attempt.address)) return refused("ip_not_allowed");
  if (!isBelow) return refused("rate_limited");

  const requestsAfter = charged(requests);
  const writesAfter = attempt.write ? charged(writes) : writes;
  return {
    admission: { outcome: "admitted", window: reported(requestsAfter, writesAfter), ...caller },
    requests: requestsAfter,
    ...(attempt.write && { writes: writesAfter }),
  };
}
