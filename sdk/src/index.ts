export type { ApiPromise, WithResponse } from "./api-promise.js";
export { QueueApi } from "./client.js";
export * from "./errors.js";
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
export type * from "./hooks.js";
export type { Iteration } from "./iteration.js";
export type { Logger, LogLevel } from "./logger.js";
export type { HttpMethod, OperationName } from "./operation.js";
export type * from "./options.js";
export type { ListPage, Page, Pages } from "./page.js";
export type { Appointments, AppointmentsQuery } from "./resources/appointments.js";
export type { Entries, EntriesQuery, NewEntry, WatchQuery } from "./resources/entries.js";
export type { MeResource } from "./resources/me.js";
export type { QueueQuery, Queues } from "./resources/queues.js";
export type { Services } from "./resources/services.js";
export type { RetryReason } from "./transport/retry.js";
export { version } from "./version.js";
export type { EntryChange, WatchOptions } from "./watch.js";
