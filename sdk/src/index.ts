export type { ApiPromise, WithResponse } from "./api-promise.js";
export { QueueApi } from "./client.js";
export * from "./errors.js";
export type * from "./generated/types.js";
export { version } from "./generated/version.js";
export type * from "./hooks.js";
export type { HttpMethod, OperationName } from "./operation.js";
export type * from "./options.js";
export type { Iteration, Page, Pages } from "./pagination.js";
export type {
  Appointments,
  Entries,
  MeResource,
  NewEntry,
  Queues,
  Services,
  WatchQuery,
} from "./resources.js";
export type { EntryChange } from "./watch.js";
