import { limits } from "@queue-api/contract";
import { ApiError, type QueueApiError } from "../errors.js";

/** How many requests may be in progress while the limit is unknown. */
const maxProbes = 4;

const windowMs = limits.keyWindowSeconds * 1000;

/** A response's report on one window of its key. */
export interface RateReport {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the window resets, rounded up to whole seconds. */
  readonly resetMs: number;
  /** Null if the response does not name the windows, as behind a gateway that drops the header. */
  readonly policy: RatePolicy | null;
}

/** The limits of both windows of a key. */
interface RatePolicy {
  readonly requests: number;
  readonly writes: number;
  /** The window that the rest of the report describes. */
  readonly reported: "requests" | "writes";
}

/**
 * What a response reports in its `RateLimit-*` headers; null if it does not tell. A success without them is `unlimited`.
 * A response to a request without a valid key reports the limit of failed sign-ins, not of the key.
 */
export function rateReport(
  { status, headers }: Response,
  error: QueueApiError | null,
): RateReport | "unlimited" | null {
  const isKeyless = error instanceof ApiError && error.code === "too_many_failed_attempts";
  if (status === 401 || isKeyless) return null;
  const limit = count(headers.get("ratelimit-limit"));
  const remaining = count(headers.get("ratelimit-remaining"));
  const reset = count(headers.get("ratelimit-reset"));
  if (limit === null || remaining === null || reset === null) return error ? null : "unlimited";
  // Not of the service, which lets at least one request pass in each minute.
  if (limit === 0 || reset > limits.keyWindowSeconds) return null;
  const policy = ratePolicy(headers.get("ratelimit-policy") ?? "");
  return { limit, remaining, resetMs: reset * 1000, policy };
}

/** Parses `RateLimit-Policy`, reported window first, as in `"writes";q=30;w=60, "requests";q=120;w=60`. */
function ratePolicy(value: string): RatePolicy | null {
  const requests = count(/"requests";q=(\d+)/.exec(value)?.[1]);
  const writes = count(/"writes";q=(\d+)/.exec(value)?.[1]);
  if (requests === null || writes === null) return null;
  return { requests, writes, reported: value.startsWith('"writes"') ? "writes" : "requests" };
}

function count(value: string | null | undefined): number | null {
  return value && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** When a window resets: at `from` at the earliest, and at `at` at the latest. */
interface Reset {
  readonly from: number;
  readonly at: number;
}

/**
 * A fixed window of the service, seen from outside. A request counts here from when it is sent, because the
 * service may count it at any time until its response. It stops to count when a window of the service that
 * includes its response must be over: 60 seconds after the response, or at a reported reset after the response. So the
 * service never refuses a request that has room here, unless another program uses the key.
 */
export class RateWindow {
  /** How many requests the window allows: `Infinity` for a service without limits; null while unknown. */
  limit: number | null = null;
  /** When the responses of our requests that count arrived, in order of arrival. */
  #respondedAt: number[] = [];
  #inFlight = 0;
  /** Requests of other programs in this window, as far as responses show. */
  #others = 0;
  /** Null while unknown. */
  #reset: Reset | null = null;

  constructor(readonly name: "requests" | "writes") {}

  charge(): void {
    this.#inFlight += 1;
  }

  /**
   * Records the response to a request. `report`: null if the response does not describe this window. `isCharged`: whether
   * the service counted the request: not if it was refused for its limit, or not sent.
   */
  end(sentAt: number, report: RateReport | null, now: number, isCharged: boolean): void {
    this.#forgetPast(now);
    this.#inFlight -= 1;
    if (isCharged) this.#respondedAt.push(now);
    if (!report) return;
    this.limit = report.limit;
    const reported = { from: sentAt + report.resetMs - 1000, at: now + report.resetMs };
    const known = this.#reset;
    if (known && reported.at < known.from) return; // a late response, about the window before
    const isSame = known !== null && reported.from <= known.at;
    if (known && !isSame) this.#startAt(known); // the window has reset earlier than at the latest
    this.#reset = {
      from: isSame ? Math.max(known.from, reported.from) : reported.from,
      at: isSame ? Math.min(known.at, reported.at) : reported.at,
    };
    const ours = this.#respondedAt.length + this.#inFlight;
    this.#others = Math.max(this.#others, report.limit - report.remaining - ours);
  }

  /**
   * When the next request has room, if others wait before it; `Infinity` if a response has to come first. While the
   * limit is unknown, a few requests at a time may find it out.
   */
  roomAt(now: number, before: number): number {
    this.#forgetPast(now);
    const { limit } = this;
    if (limit === null) return this.#inFlight + before < maxProbes ? now : Number.POSITIVE_INFINITY;
    const tooMany = this.#respondedAt.length + this.#inFlight + this.#others + before + 1 - limit;
    if (tooMany <= 0) return now;
    const oldest = this.#respondedAt[(tooMany - 1) % limit] ?? Number.POSITIVE_INFINITY;
    const next = this.#reset?.at ?? oldest + windowMs;
    return next + windowMs * Math.floor((tooMany - 1) / limit);
  }

  #forgetPast(now: number): void {
    if (this.#reset && now >= this.#reset.at) this.#startAt(this.#reset);
    while ((this.#respondedAt[0] ?? now) <= now - windowMs) this.#respondedAt.shift();
  }

  #startAt({ from }: Reset): void {
    this.#respondedAt = this.#respondedAt.filter((at) => at >= from);
    this.#others = 0;
    this.#reset = null;
  }
}
