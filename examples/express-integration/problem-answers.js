import {
  AbortError,
  ConflictError,
  ConnectionError,
  IdempotencyKeyReuseError,
  InvalidRequestError,
  NotFoundError,
  QueueApiError,
  RateLimitError,
  RequestInProgressError,
  ServerError,
  TimeoutError,
} from "@queue-api/sdk";

/** Express's error handler: failures as problem details of this application. */
export function problemAnswers(logger) {
  return (error, _req, res, next) => {
    if (error instanceof AbortError) return; // the caller is gone
    if (res.headersSent) return next(error); // Express ends the connection
    const { status, title, ...more } = problemOf(error);
    if (status >= 500) logger.error(error instanceof QueueApiError ? JSON.stringify(error) : error);
    if (more.retryAfter) res.set("Retry-After", String(more.retryAfter));
    res
      .status(status)
      .type("application/problem+json")
      .json({ title, status, ...more });
  };
}

function problemOf(error) {
  if (!(error instanceof QueueApiError)) {
    // Errors of Express itself have a status; their message quotes the request.
    return error.status >= 400 && error.status < 500
      ? { status: error.status, title: "The request is malformed" }
      : { status: 500, title: "Something went wrong" };
  }
  if (error instanceof InvalidRequestError) {
    return { status: 400, title: "Please check what you sent", errors: error.details };
  }
  if (error instanceof NotFoundError)
    return { status: 404, title: "There is no such line or ticket" };
  if (error instanceof ConflictError)
    return { status: 409, title: conflicts[error.code] ?? "Not possible now" };
  if (error instanceof IdempotencyKeyReuseError)
    return { status: 422, title: "This visit has a ticket with other details" };
  // The rest is for the operator, not for the caller.
  const trace = error.requestId ? { requestId: error.requestId } : {};
  if (error instanceof RateLimitError || error instanceof RequestInProgressError) {
    const retryAfter = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
    return { status: 503, title: "Busy", retryAfter, ...trace };
  }
  if (
    error instanceof ServerError ||
    error instanceof ConnectionError ||
    error instanceof TimeoutError
  ) {
    return { status: 503, title: "The line cannot be reached", retryAfter: 5, ...trace };
  }
  // A key that is wrong, expired or too weak, a plan that is used up.
  return { status: 502, title: "The line is not set up rightly", ...trace };
}

const conflicts = {
  queue_paused: "This line takes nobody new at the moment",
  queue_unavailable: "This line is closed",
  invalid_state: "This ticket is not waiting any more",
};
