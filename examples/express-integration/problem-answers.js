import {
  AbortError,
  ApiError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  QueueApiError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "@queue-api/sdk";

/** Express's error handler: failures of the Queue API as problem details of this application. */
export function problemAnswers(logger) {
  return (error, _req, res, next) => {
    if (!(error instanceof QueueApiError)) return next(error);
    if (error instanceof AbortError) return; // the caller is gone
    const { status, title, ...more } = problemOf(error);
    if (status >= 500) logger.error(JSON.stringify(error));
    if (more.retryAfter) res.set("Retry-After", String(more.retryAfter));
    res
      .status(status)
      .type("application/problem+json")
      .json({ title, status, ...more });
  };
}

function problemOf(error) {
  if (error instanceof InvalidRequestError) {
    return { status: 400, title: "Please check what you sent", errors: error.details };
  }
  if (error instanceof NotFoundError)
    return { status: 404, title: "There is no such line or ticket" };
  if (error instanceof ConflictError)
    return { status: 409, title: conflicts[error.code] ?? "Not possible now" };
  if (error instanceof RateLimitError) {
    return {
      status: 503,
      title: "Busy",
      retryAfter: Math.ceil((error.retryAfterMs ?? 1_000) / 1_000),
    };
  }
  if (
    error instanceof ServerError ||
    error instanceof ConnectionError ||
    error instanceof TimeoutError
  ) {
    return { status: 503, title: "The line cannot be reached", retryAfter: 5 };
  }
  // A key that is wrong, expired or too weak, a plan that is used up: for the operator, not for the caller.
  const trace = error instanceof ApiError ? { requestId: error.requestId } : {};
  return { status: 502, title: "The line is not set up rightly", ...trace };
}

const conflicts = {
  queue_paused: "This line takes nobody new at the moment",
  queue_unavailable: "This line is closed",
  invalid_state: "This ticket is not waiting any more",
};
