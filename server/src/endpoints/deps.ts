import type { Store } from "../operations/store.js";
import type { Random } from "../rules/ports.js";

/** The dependencies of the endpoints. */
export interface EndpointDeps {
  readonly store: Store;
  readonly random: Random;
  /** The URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  /** The URL of the developer reference, without a trailing slash. */
  readonly docsUrl: () => string;
}
