import { hash } from "node:crypto";
import { limits } from "@queue-api/contract/limits";
import { clockSlackMs } from "./clock-slack.js";
import type { IdempotencyRecord } from "./records.js";

/** The duration of a lease. After it, another request may take the key over. */
export const leaseSeconds = 30;

/** A request to claim an idempotency key. */
export interface ClaimRequest {
  readonly key: string;
  readonly fingerprint: string;
  /** Random and new for each request. It is the claim id if the key is free, and the owner of the lease. */
  readonly owner: string;
}

/** A claim on a key. Only its owner may finish or release it. */
export interface Claim {
  readonly key: string;
  readonly claimId: string;
  readonly owner: string;
}

/** The result of an attempt to claim a key. */
export type ClaimOutcome =
  | { readonly outcome: "claimed"; readonly claim: Claim; readonly takenOver: boolean }
  | { readonly outcome: "replay"; readonly receipt: string }
  | { readonly outcome: "reused" }
  | { readonly outcome: "in_progress"; readonly retryAfterSeconds: number };

/** The outcome and, if the key was claimed, the record to store. */
export interface ClaimDecision {
  readonly outcome: ClaimOutcome;
  readonly record?: IdempotencyRecord;
}

/**
 * Decides whether a request for a key replays, is refused, waits, takes over or claims it. `expiry` is the
 * time that expires records, if it differs from the clock; see `SettledTime`.
 */
export function decideClaim(
  request: ClaimRequest,
  found: IdempotencyRecord | null,
  now: number,
  expiry = now,
): ClaimDecision {
  const known = found && expiry < found.keptUntil ? found : null;
  if (known && known.fingerprint !== request.fingerprint) return { outcome: { outcome: "reused" } };
  if (known && known.receipt !== null) {
    return { outcome: { outcome: "replay", receipt: known.receipt } };
  }
  const lease = leaseSeconds * 1000;
  const leaseRuns =
    known && now < known.leaseUntil && known.leaseUntil <= now + lease + clockSlackMs;
  if (leaseRuns) {
    const retryAfterSeconds = Math.max(1, Math.ceil((known.leaseUntil - now) / 1000));
    return { outcome: { outcome: "in_progress", retryAfterSeconds } };
  }
  const claimId = known?.claimId ?? request.owner;
  const { key, fingerprint, owner } = request;
  return {
    outcome: { outcome: "claimed", claim: { key, claimId, owner }, takenOver: known !== null },
    record: {
      key,
      fingerprint,
      claimId,
      owner,
      leaseUntil: now + lease,
      receipt: null,
      keptUntil: keptUntil(now),
    },
  };
}

/** The expiry of the record of a key that is claimed or answered now. */
export function keptUntil(now: number): number {
  return now + limits.idempotencyHours * 3_600_000;
}

/** A hash of what identifies a request: method, route, path parameters and parsed body. */
export function fingerprint(
  method: string,
  route: string,
  params: Readonly<Record<string, string>>,
  body: unknown,
): string {
  const request = JSON.stringify([method, route, canonical(params), canonical(body)]);
  return hash("sha256", request, "base64url");
}

/** The same value with the fields of every object sorted. An object stays distinct from an array. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, canonical(field)]);
  return { fields };
}
