import type { Store } from "@queue-api/server" with { "resolution-mode": "import" };
import type * as kit from "@queue-api/testkit";

export {
  type AppointmentSwitches,
  type BusinessSwitches,
  type Clock,
  type Duration,
  defaultSeed,
  type EntryMoves,
  type FaultName,
  type FaultOptions,
  type Faults,
  type Ids,
  type Instant,
  type Keys,
  type MadeKey,
  type MockClock,
  type OwnerSide,
  type QueueSwitches,
  type RecordedRequest,
  type RouteName,
  type SeedInput,
} from "@queue-api/testkit";

/** @deprecated Use `MockOptions` of `@queue-api/testkit`. */
export interface MockOptions<Seed extends kit.SeedInput = kit.SeedInput>
  extends kit.MockOptions<Seed> {
  readonly interpose?: (store: Store) => Store;
}

/** @deprecated Use `QueueApiMock` of `@queue-api/testkit`. */
export interface QueueApiMock<Seed extends kit.SeedInput = kit.SeedInput>
  extends kit.QueueApiMock<Seed> {
  readonly store: Store;
}

/** @deprecated Import `mockQueueApi` from `@queue-api/testkit`. */
export declare function mockQueueApi<const Seed extends kit.SeedInput = kit.DefaultSeed>(
  options?: MockOptions<Seed>,
): QueueApiMock<Seed>;
