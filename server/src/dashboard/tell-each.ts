import type { Logger } from "pino";

/**
 * Notifies each listener. Listeners may unsubscribe in the meantime. An error of one listener is logged,
 * and does not keep the others from being notified.
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
