export type { RunningServer, ServerOptions } from "./app.js";
export { startServer } from "./app.js";
export type { Config } from "./config.js";
export { ConfigError, readConfig } from "./config.js";
export type { Clock, Random } from "./rules/ports.js";
export { openStore } from "./store/open.js";
export type { Store } from "./store/store.js";
export { StoreOpenError } from "./store/store-open-error.js";
export { pooledRandom, systemClock } from "./system.js";
