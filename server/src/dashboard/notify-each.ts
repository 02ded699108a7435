import type { Logger } from "pino";

/**
 * Notifies each listener. Listeners may unsubscribe in the meantime. The error of a listener is logged, and does not
 * affect the others.
 *
 * @returns The listeners that failed.
 */
export function notifyEach<Listener>(
  listeners: Iterable<Listener>,
  notify: (listener: Listener) => void,
  logger: Pick<Logger, "error">,
): Listener[] {
  return [...listeners].filter((listener) => {
    try {
      notify(listener);
      return false;
    } catch (error) {
      logger.error({ err: error }, "a browser that follows a board cannot be notified");
      return true;
    }
  });
}
