export type { ApiPromise, WithResponse } from "./api-promise.js";
export { QueueApi } from "./client.js";
export {
  AbortError,
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  IdempotencyKeyReuseError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  QueueApiError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from "./errors.js";
export type {
  ApiKey,
  Appointment,
  AppointmentStatus,
  Business,
  CreateEntryRequest,
  Customer,
  Entry,
  EntryStatus,
  EntryWithPosition,
  ErrorCode,
  ErrorDetail,
  KeyLimits,
  Me,
  Queue,
  QueueCounts,
  QueueSummary,
  Scope,
  Service,
} from "./generated/types.js";
export type {
  AttemptEvent,
  Hooks,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from "./hooks.js";
export type { Logger, LogLevel } from "./logger.js";
export type { HttpMethod } from "./operation.js";
export type {
  AppInfo,
  CallOptions,
  CreateOptions,
  KeySource,
  Query,
  QueueApiOptions,
  RequestOptions,
} from "./options.js";
export type { Iteration, ListPage, Page, Pages } from "./page.js";
export type { AppointmentsQuery } from "./resources/appointments.js";
export type { EntriesQuery, NewEntry, WatchQuery } from "./resources/entries.js";
export type { QueueQuery } from "./resources/queues.js";
export type { RetryReason } from "./transport/retry.js";
export { version } from "./version.js";
export type { EntryChange, WatchOptions } from "./watch.js";
