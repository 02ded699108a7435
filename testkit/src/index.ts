export type { AnswerFields, AnswerOptions, AnswerRoute, Answers, RouteName } from "./answers.js";
export type { Clock, Duration, Instant, MockClock } from "./clock.js";
export { type DefaultSeed, defaultSeed } from "./default-seed.js";
export { InvalidSeedError, OwnerError } from "./errors.js";
export type {
  FakeFacts,
  FakeIteration,
  FakeList,
  FakePage,
  FakePromise,
  FakePromiseOptions,
} from "./fake-calls.js";
export { type Changes, fakes } from "./fakes.js";
export type { FaultName, FaultOptions, Faults } from "./faults.js";
export { mockQueueApi } from "./mock.js";
export type { MockOptions, QueueApiMock } from "./mock-types.js";
export type { MadeKey, OwnerSide } from "./owner-side.js";
export { routeNames } from "./planned-answers.js";
export type { RecordedRequest } from "./recorded-request.js";
export type {
  Ids,
  KeyOptions,
  RefOf,
  SeedAppointment,
  SeedBusiness,
  SeedEntry,
  SeedInput,
  SeedKey,
  SeedQueue,
  SeedService,
} from "./seed.js";
