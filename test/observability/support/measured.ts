import { randomBytes } from "node:crypto";
import {
  type Config,
  type RunningServer,
  readConfig,
  type Store,
  startServer,
} from "@queue-api/server";
import { metricsToken } from "./scrape.js";

/** Starts another server on a store, with metrics. The caller closes it. */
export function measured(store: Store, settings: Partial<Config> = {}): Promise<RunningServer> {
  const config = { ...readConfig({}), port: 0, logLevel: "silent", metricsToken, ...settings };
  return startServer({ store, config, random: randomBytes });
}
