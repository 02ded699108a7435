import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | undefined;

/**
 * Memory, processor time, garbage collection and event-loop delay of the process. Their observers cannot be removed,
 * so the process has one registry, which the first service with metrics creates.
 */
export function processRegistry(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
