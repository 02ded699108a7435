export {
  addOwner,
  type Invitation,
  listOwners,
  removeOwner,
  renewPasswordLink,
} from "./account.js";
export { setAppointmentStatus } from "./appointment.js";
export { auditLog } from "./audit.js";
export {
  type BusinessChange,
  type BusinessOverview,
  findBusiness,
  setBusiness,
  showBusiness,
} from "./business.js";
export { callNext, serveEntry } from "./entry.js";
export type { Fault } from "./faults.js";
export { changeKey, createKey, listKeys, type NewKey, revokeKey } from "./key.js";
export type { KeyOptions } from "./key-options.js";
export { OwnerError, type OwnerRefusal, type ServingMove } from "./owner-error.js";
export { type PasswordCost, Passwords, type PasswordsOptions } from "./password.js";
export { listQueues, type QueueToday, setQueueFlags } from "./queue.js";
export {
  importSeed,
  SeedFaultsError,
  type SeedInput,
  type SeedOptions,
  type SeedResult,
} from "./seed.js";
export type { SeededBusiness } from "./seed-records.js";
