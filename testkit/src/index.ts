export type { AnswerFields, AnswerOptions, AnswerRoute, Answers, RouteName } from "./answers.js";
export { type Clock, type Duration, type Instant, MockClock } from "./clock.js";
export { type DefaultSeed, defaultSeed } from "./default-seed.js";
export { OwnerError, SeedFaultsError } from "./errors.js";
export { type Changes, fakes } from "./fakes.js";
export type { FaultArguments, FaultName, FaultOptions, Faults } from "./faults.js";
export { mockQueueApi } from "./mock-queue-api.js";
export type { MockOptions, QueueApiMock } from "./mock-types.js";
export type { MadeKey, OwnerSide } from "./owner-side.js";
export type { RecordedRequest } from "./recorded-request.js";
export type {
  AnySeed,
  Ids,
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
