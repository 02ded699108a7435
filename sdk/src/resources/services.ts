import type { ApiPromise } from "../api-promise.js";
import type { ApiSender } from "../api-sender.js";
import type { Service } from "../generated/types.js";
import type { CallOptions } from "../options.js";

/** The services that the business offers. Needs the scope `queue:read`. */
export class Services {
  /** @internal */
  constructor(/** @internal */ readonly api: ApiSender) {}

  /**
   * All active services.
   *
   * @example
   * const services = await api.services.list();
   * const consultation = services.find((service) => service.name === "Consultation");
   */
  list(options?: CallOptions): ApiPromise<Service[]> {
    return this.api.send("services.list", {}, options);
  }
}
