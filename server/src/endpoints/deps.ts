import type { Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";

/** What the endpoints are handed. */
export interface EndpointDeps {
  readonly store: Store;
  readonly random: Random;
  /** Address of the service, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Address of the developer reference, without a slash at the end. */
  readonly docsUrl: () => string;
}
