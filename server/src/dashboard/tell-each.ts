import type { Logger } from "pino";

/**
 * Tells each of several listeners, who may leave meanwhile. What one of them throws is logged, and keeps
 * it from nobody else.
 *
 * @returns those that failed
 */
export function tellEach<Listener>(
  listeners: Iterable<Listener>,
  tell: (listener: Listener) => void,
  logger: Pick<Logger, "error">,
): Listener[] {
  return [...listeners].filter((listener) => {
    try {
      tell(listener);
      return false;
    } catch (error) {
      logger.error({ err: error }, "a browser that follows a board cannot be told");
      return true;
    }
  });
}
