/*
 * The parts of the service that `@queue-api/testkit` bundles: the pipeline on the memory store, and what an
 * owner does. No entry of this package exports this file.
 */
export { type Config, readConfig } from "./config.js";
export { reportWindow } from "./http/admission.js";
export { contextOf } from "./http/context.js";
export { untouchedWindow } from "./http/headers.js";
export { memoryStore } from "./memory-store.js";
export type { Store } from "./operations/store.js";
export { setAppointmentStatus } from "./owner/appointment.js";
export { setBusiness } from "./owner/business.js";
export { callNext, serveEntry, transferEntry } from "./owner/entry.js";
export { importBusinesses } from "./owner/import-business.js";
export { createKey, keyOptions, revokeKey } from "./owner/key.js";
export { OwnerError, type ServingTransition } from "./owner/owner-error.js";
export { setQueueFlags } from "./owner/queue.js";
export { InvalidSeedError, readSeed, type SeedResult } from "./owner/seed.js";
export type { SeededBusiness } from "./owner/seed-records.js";
export { check, issueLine } from "./owner/validation-issues.js";
export { ApiError } from "./rules/api-error.js";
export type { Clock, Random } from "./rules/ports.js";
export { appointmentResource, entryResource, queueResource } from "./rules/resources.js";
export { buildService, type ServiceRuntime } from "./service.js";
