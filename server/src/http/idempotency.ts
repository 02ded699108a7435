import type { Response } from "express";
import { createdAnswer } from "../endpoints/answers.js";
import type { EndpointDeps } from "../endpoints/deps.js";
import { callerOf, contextOf } from "../endpoints/request-context.js";
import { fingerprint } from "../rules/idempotency.js";
import { randomText } from "../rules/ids.js";
import { Refusal } from "../rules/refusal.js";
import type { KeyReleases } from "../store/key-releases.js";

interface CreationInput {
  readonly headers: { readonly "idempotency-key"?: string | undefined };
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly res: Response;
}

/** Runs a creation at most once for its Idempotency-Key: claims the key, replays the response, or refuses. */
export function idempotent<Input extends CreationInput, Output>(
  { store, random, baseUrl, keyReleases }: EndpointDeps & { readonly keyReleases: KeyReleases },
  route: { readonly method: string; readonly path: string },
  create: (input: Input) => Promise<Output>,
) {
  return async (input: Input): Promise<Output | ReturnType<typeof createdAnswer>> => {
    const key = input.headers["idempotency-key"];
    if (key === undefined) return create(input);

    const businessId = callerOf(input.res).business.id;
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
        contextOf(input.res).claim = claimed.claim;
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
