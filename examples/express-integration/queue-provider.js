import { QueueApi } from "@queue-api/sdk";

/** The one client of this process: it shares its rate limit, so it must be one. */
export function queueProvider({ env, logger }) {
  return new QueueApi({
    apiKey: env.QUEUE_API_KEY,
    baseUrl: env.QUEUE_API_BASE_URL ?? "http://127.0.0.1:3000",
    timeoutMs: 3_000,
    totalTimeoutMs: 8_000, // the application's own callers wait no longer
    hooks: {
      onWait: ({ operation, reason, waitMs }) =>
        logger.warn(`${operation} waits ${Math.round(waitMs)} ms: ${reason}`),
    },
  });
}
