export type {
  Appointment,
  AppointmentStatus,
  Customer,
  Entry,
  EntryStatus,
  ErrorCode,
  Queue,
  RouteName,
  Scope,
} from "./api-types.js";
export { type DefaultSeed, defaultSeed } from "./default-seed.js";
export type { Duration } from "./duration.js";
export type { FaultArguments, FaultName, FaultOptions, Faults } from "./faults.js";
export type { Ids } from "./ids.js";
export type { Clock, Instant, MockClock } from "./mock-clock.js";
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
export type {
  KeyOptions,
  KnownFields,
  RefOf,
  SeedAppointment,
  SeedBusiness,
  SeedEntry,
  SeedInput,
  SeedKey,
  SeedQueue,
  SeedService,
  SlugOf,
} from "./seed.js";
