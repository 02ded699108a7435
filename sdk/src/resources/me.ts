import type { ApiPromise } from "../api-promise.js";
import type { ApiSender } from "../api-sender.js";
import type { Me } from "../generated/types.js";
import type { CallOptions } from "../options.js";

/** The key in use and the business it belongs to. */
export class MeResource {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * The key, its business and its limits. Works with any valid key, regardless of its scopes.
   *
   * @example
   * const { business, limits } = await api.me.get();
   */
  get(options?: CallOptions): ApiPromise<Me> {
    return this.api.send("me.get", {}, options);
  }
}
