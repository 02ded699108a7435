export type { RunningServer, ServerOptions } from "./app.js";
export { startServer } from "./app.js";
export type { Config } from "./config.js";
export { ConfigError, readConfig } from "./config.js";
export { createLogger } from "./lib/logger.js";
export { systemClock, systemRandom } from "./lib/system.js";
export { openStore } from "./open-store.js";
export type { Store } from "./operations/store.js";
export { addAccount, type Invitation, removeAccount, renewPasswordLink } from "./owner/account.js";
export { setAppointmentStatus } from "./owner/appointment.js";
export { auditLog } from "./owner/audit.js";
export { type BusinessChange, setBusiness } from "./owner/business.js";
export { callNext, serveEntry } from "./owner/entry.js";
export { changeKey, createKey, type KeyOptions, type NewKey, revokeKey } from "./owner/key.js";
export { OwnerError, type OwnerRefusal, type ServingTransition } from "./owner/owner-error.js";
export { type PasswordCost, Passwords, type PasswordsOptions } from "./owner/password.js";
export { setQueueFlags } from "./owner/queue.js";
export {
  InvalidSeedError,
  importSeed,
  type SeedInput,
  type SeedOptions,
  type SeedResult,
} from "./owner/seed.js";
export type { SeededBusiness } from "./owner/seed-records.js";
export type { ValidationIssue } from "./owner/validation-issues.js";
export type { Clock, Random } from "./rules/ports.js";
export { prepareDemo } from "./simulation/demo.js";
export { StoreOpenError } from "./store/errors.js";
