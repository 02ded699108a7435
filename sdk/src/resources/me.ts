import type { ApiPromise } from "../api-promise.js";
import type { Me as MeData } from "../generated/types.js";
import type { CallOptions } from "../options.js";
import type { Sender } from "../sender.js";

/** The key in use and the business it belongs to. */
export class Me {
  readonly #api: Sender;

  /** @internal */
  constructor(api: Sender) {
    this.#api = api;
  }

  /**
   * The key, its business and its limits. Works with any valid key, regardless of its scopes.
   *
   * @example
   * const { business, limits } = await api.me.get();
   */
  get(options?: CallOptions): ApiPromise<MeData> {
    return this.#api.send("getMe", {}, options);
  }
}
