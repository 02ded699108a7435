import type { Response } from "express";
import { callerOf, contextOf } from "../endpoints/request-context.js";
import { fingerprint } from "../rules/idempotency.js";
import { Refusal } from "../rules/refusal.js";

interface CreationInput {
  readonly headers: { readonly "idempotency-key"?: string | undefined };
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly res: Response;
}

/** When to repeat a request whose key is in use, in seconds. */
const retryAfterSeconds = 1;

/**
 * Notes the Idempotency-Key of a creation, which the store then uses at most once, and refuses a request
 * while another one with its key runs in this process. Of requests on several instances, the store lets one
 * create the entry and replays it to the others.
 */
export function idempotent<Input extends CreationInput, Output>(
  route: { readonly method: string; readonly path: string },
  create: (input: Input) => Promise<Output>,
) {
  /** The fingerprints of the requests that run, by business and key. */
  const running = new Map<string, string>();
  return async (input: Input): Promise<Output> => {
    const key = input.headers["idempotency-key"];
    if (key === undefined) return create(input);

    const request = fingerprint(route.method, route.path, input.params, input.body);
    const place = `${callerOf(input.res).business.id} ${key}`;
    const other = running.get(place);
    if (other === request) throw new Refusal("request_in_progress", { retryAfterSeconds });
    if (other !== undefined) throw new Refusal("idempotency_key_reuse");
    running.set(place, request);
    contextOf(input.res).keyed = { key, fingerprint: request };
    try {
      return await create(input);
    } finally {
      running.delete(place);
    }
  };
}
