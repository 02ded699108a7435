import type * as kit from "@queue-api/testkit/msw";
import type { MockOptions, QueueApiMock } from "./mock.js";

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
} from "@queue-api/testkit/msw";
export type { MockOptions, QueueApiMock } from "./mock.js";

/** @deprecated Use `MswQueueApiMock` of `@queue-api/testkit/msw`. */
export interface MswQueueApiMock<Seed extends kit.SeedInput = kit.SeedInput>
  extends QueueApiMock<Seed> {
  readonly handlers: kit.MswQueueApiMock["handlers"];
}

/** @deprecated Import `mockQueueApi` from `@queue-api/testkit/msw`. */
export declare function mockQueueApi<const Seed extends kit.SeedInput = kit.DefaultSeed>(
  options?: MockOptions<Seed>,
): MswQueueApiMock<Seed>;
