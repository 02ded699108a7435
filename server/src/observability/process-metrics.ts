import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | undefined;

/**
 * Memory, processor time, garbage collection and event-loop delay. They belong to the process, whose
 * observers cannot be taken down again: so there is one, begun by the first service that is measured.
 */
export function processRegistry(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
