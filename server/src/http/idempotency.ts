import type { AppRoute } from "@ts-rest/core";
import { ApiError } from "../rules/api-error.js";
import { fingerprint, type KeyedOutcome, type KeyedRequest } from "../rules/idempotency.js";

/** The parts of a request that its Idempotency-Key covers, validated. */
interface KeyedInput {
  readonly headers: { readonly "idempotency-key"?: string | undefined };
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The Idempotency-Key of a request with its fingerprint; null without a key. */
export function keyedRequest(
  { method, path }: Pick<AppRoute, "method" | "path">,
  { headers, params, body }: KeyedInput,
): KeyedRequest | null {
  const key = headers["idempotency-key"];
  return key === undefined ? null : { key, fingerprint: fingerprint(method, path, params, body) };
}

/** When to repeat a request whose key is in use, in seconds. */
const inProgressRetrySeconds = 1;

/**
 * Lets one creation with an Idempotency-Key run at a time in this process. Another request with the key gets the outcome of
 * `find` if the key is held already, and is refused while the first one runs. Of requests on several instances, the store
 * lets one create the entry and replays it to the others.
 */
export function oneForEachKey(
  find: (businessId: string, keyed: KeyedRequest) => Promise<KeyedOutcome | null>,
) {
  /** The fingerprints of the requests that run, by business and key. */
  const running = new Map<string, string>();
  return async <Outcome>(
    businessId: string,
    keyed: KeyedRequest | null,
    create: () => Promise<Outcome>,
  ): Promise<Outcome | KeyedOutcome> => {
    if (keyed === null) return create();
    const id = `${businessId} ${keyed.key}`;
    const other = running.get(id);
    if (other !== undefined) {
      const held = await find(businessId, keyed);
      if (held) return held;
      if (other !== keyed.fingerprint) throw new ApiError("idempotency_key_reuse");
      throw new ApiError("request_in_progress", { retryAfterSeconds: inProgressRetrySeconds });
    }
    running.set(id, keyed.fingerprint);
    try {
      return await create();
    } finally {
      running.delete(id);
    }
  };
}
