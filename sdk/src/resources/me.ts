import type { ApiPromise } from "../api-promise.js";
import type { Me } from "../generated/types.js";
import type { CallOptions } from "../options.js";
import { Resource } from "./resource.js";

/** The key in use and the business it belongs to. */
export class MeResource extends Resource {
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
