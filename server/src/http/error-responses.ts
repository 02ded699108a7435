import { challenge, errors } from "@queue-api/contract";
import type { ErrorRequestHandler, Response } from "express";
import type { Logger } from "pino";
import { ApiError } from "../rules/api-error.js";
import { StoreUnavailableError } from "../store/errors.js";
import { contextOf } from "./context.js";
import { rateLimitHeaders, untouchedWindow } from "./headers.js";
import { envelope } from "./responses.js";

/** Turns every thrown error into the error envelope of the document. */
export function errorResponses(docsUrl: () => string, logger: Logger): ErrorRequestHandler {
  return (error, _req, res, _next) => {
    const context = contextOf(res);
    const { requestId } = context;
    if (res.headersSent) {
      logger.error({ err: error, requestId }, "request failed after its response began");
      res.destroy();
      res.end(); // the client is disconnected; this only completes the request
      return;
    }
    const apiError = asApiError(error, res, logger);
    context.errorCode = apiError.code;
    if (context.window === null) rateLimitHeaders(res, untouchedWindow);
    if (apiError.code === "unauthorized") res.setHeader("WWW-Authenticate", challenge);
    const { retryAfterSeconds } = apiError.extras;
    if (retryAfterSeconds !== undefined) res.setHeader("Retry-After", retryAfterSeconds);
    res.status(errors[apiError.code].status).json(envelope(apiError, requestId, docsUrl()));
  };
}

function asApiError(error: unknown, res: Response, logger: Logger): ApiError {
  if (error instanceof ApiError) return error;
  logger.error({ err: error, requestId: contextOf(res).requestId }, "request failed");
  const isPassing = error instanceof StoreUnavailableError;
  return new ApiError(
    "internal_error",
    isPassing ? { retryAfterSeconds: unavailableRetrySeconds } : {},
  );
}

/** The Retry-After while the database is unavailable, in seconds. */
const unavailableRetrySeconds = 1;
