/** An answer's report on the tightest window that counts its request. */
export interface RateReport {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the window resets, rounded up to whole seconds. */
  readonly resetMs: number;
  /** Null if the answer does not name the windows, as behind a gateway that drops the header. */
  readonly policy: RatePolicy | null;
}

/** The limits of both windows of a key. */
export interface RatePolicy {
  readonly requests: number;
  readonly writes: number;
  /** The window that the rest of the report describes. */
  readonly reported: "requests" | "writes";
}

/** Parses the `RateLimit-*` headers of an answer; null if they are absent or invalid. */
export function rateReport(headers: Headers): RateReport | null {
  const limit = count(headers.get("ratelimit-limit"));
  const remaining = count(headers.get("ratelimit-remaining"));
  const reset = count(headers.get("ratelimit-reset"));
  if (limit === null || remaining === null || reset === null) return null;
  const value = headers.get("ratelimit-policy") ?? "";
  if (value !== last.value) last = { value, policy: ratePolicy(value) };
  return { limit, remaining, resetMs: reset * 1000, policy: last.policy };
}

/** The last policy, parsed: almost every answer has the same. */
let last: { readonly value: string; readonly policy: RatePolicy | null } = {
  value: "",
  policy: null,
};

/** Parses `RateLimit-Policy`, reported window first, as in `"writes";q=30;w=60, "requests";q=120;w=60`. */
function ratePolicy(value: string): RatePolicy | null {
  const requests = quota(value, "requests");
  const writes = quota(value, "writes");
  if (requests === null || writes === null) return null;
  return { requests, writes, reported: value.startsWith('"writes"') ? "writes" : "requests" };
}

function quota(policy: string, name: string): number | null {
  const [, item] = policy.split(`"${name}";q=`);
  return item === undefined ? null : count(/^\d*/.exec(item)?.[0] ?? null);
}

function count(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
