export type { RouteName } from "../http/route-name.js";
export type { SeedInput } from "../owner/seed.js";
export type { Clock } from "../rules/ports.js";
export { defaultSeed } from "./default-seed.js";
export type { Duration } from "./duration.js";
export type { FaultName, FaultOptions, Faults } from "./faults.js";
export type { Ids } from "./ids.js";
export type { Instant, MockClock } from "./mock-clock.js";
export { type MockOptions, mockQueueApi, type QueueApiMock } from "./mock-queue-api.js";
export type {
  AppointmentSwitches,
  BusinessSwitches,
  EntryMoves,
  Keys,
  MadeKey,
  OwnerSide,
  QueueSwitches,
} from "./owner-side.js";
export type { RecordedRequest } from "./recorded-request.js";
