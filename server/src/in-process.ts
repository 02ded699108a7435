/*
 * The parts of the service that `@queue-api/testkit` bundles: the pipeline on the memory store, and what an
 * owner does. No entry of this package exports this file.
 */
export { type Config, readConfig } from "./config.js";
export { contextOf } from "./endpoints/request-context.js";
export { appointmentAnswer, queueAnswer } from "./endpoints/shapes.js";
export { routeNames, routeOf, scopesOf } from "./http/routes.js";
export { setAppointmentStatus } from "./owner/appointment.js";
export { setBusiness } from "./owner/business.js";
export { callNext, serveEntry, transferEntry } from "./owner/entry.js";
export { check, faultLine } from "./owner/faults.js";
export { importBusinesses } from "./owner/import-business.js";
export { createKey, keyOptions, revokeKey } from "./owner/key.js";
export { OwnerError, type ServingMove } from "./owner/owner-error.js";
export { setQueueFlags } from "./owner/queue.js";
export { readSeed, SeedFaultsError, type SeedResult } from "./owner/seed.js";
export type { SeededBusiness } from "./owner/seed-records.js";
export { entryAnswer } from "./rules/entry-answer.js";
export type { Clock, Random } from "./rules/ports.js";
export { Refusal } from "./rules/refusal.js";
export { buildService, type ServiceRuntime } from "./service.js";
export { memoryStore } from "./store/memory/memory-store.js";
export type { Store } from "./store/store.js";
