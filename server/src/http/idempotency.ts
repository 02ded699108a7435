import type { Response } from "express";
import { callerOf } from "../endpoints/caller.js";
import { createdAnswer } from "../endpoints/created-answer.js";
import type { EndpointDeps } from "../endpoints/deps.js";
import { fingerprint } from "../rules/idempotency.js";
import { randomText } from "../rules/ids.js";
import { Refusal } from "../rules/refusal.js";
import type { KeyReleases } from "../store/key-releases.js";

interface Keyed {
  readonly headers: { readonly "idempotency-key"?: string | undefined };
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly res: Response;
}

/** Runs a creation at most once under its Idempotency-Key: claims the key, replays, or refuses. */
export function idempotent<Input extends Keyed, Output>(
  { store, random, baseUrl, keyReleases }: EndpointDeps & { readonly keyReleases: KeyReleases },
  route: { readonly method: string; readonly path: string },
  create: (input: Input) => Promise<Output>,
) {
  return async (input: Input): Promise<Output | ReturnType<typeof createdAnswer>> => {
    const key = input.headers["idempotency-key"];
    if (key === undefined) return create(input);

    const caller = callerOf(input.res);
    const businessId = caller.business.id;
    const claimed = await store.idempotency.claim(businessId, {
      key,
      fingerprint: fingerprint(route.method, route.path, input.params, input.body),
      owner: randomText(random, 24),
    });
    switch (claimed.outcome) {
      case "replay":
        return createdAnswer(input.res, claimed.receipt, { baseUrl: baseUrl(), replayed: true });
      case "reused":
        throw new Refusal("idempotency_key_reuse");
      case "in_progress":
        throw new Refusal("request_in_progress", { retryAfterSeconds: claimed.retryAfterSeconds });
      case "claimed":
        caller.claim = claimed.claim;
        try {
          return await create(input);
        } catch (error) {
          if (error instanceof Refusal) await keyReleases.afterRefusal(businessId, claimed);
          else await keyReleases.afterFailure(businessId, claimed.claim);
          throw error;
        }
    }
  };
}
