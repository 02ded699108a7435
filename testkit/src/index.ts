export type * from "./answers.js";
export { routeNames } from "./answers.js";
export type * from "./api.js";
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
export type * from "./faults.js";
export {
  type MockOptions,
  mockQueueApi,
  type QueueApiMock,
  type RecordedRequest,
} from "./mock.js";
export type * from "./owner-side.js";
export type * from "./seed.js";
