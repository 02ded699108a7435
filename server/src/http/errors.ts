import {
  challenge,
  type ErrorDetail,
  type ErrorResponse,
  errorDocUrl,
  errors,
} from "@queue-api/contract";
import type { ErrorRequestHandler, Response } from "express";
import type { Logger } from "pino";
import { contextOf } from "../endpoints/request-context.js";
import { invalidField, Refusal } from "../rules/refusal.js";
import { StoreUnavailableError } from "../store/errors.js";
import type { Answer } from "./answer.js";

/** Turns every thrown error into the error envelope of the document. */
export function errorAnswers(answer: Answer, docsUrl: () => string, logger: Logger) {
  const handler: ErrorRequestHandler = (error, _req, res, _next) => {
    if (res.headersSent) {
      logger.error(
        { err: error, requestId: contextOf(res).requestId },
        "request failed after its response began",
      );
      res.destroy();
      return;
    }
    const refusal = asRefusal(error, res, logger);
    const { status } = errors[refusal.code];
    contextOf(res).refusal = refusal.code;
    if (refusal.code === "unauthorized") res.setHeader("WWW-Authenticate", challenge);
    const { retryAfterSeconds } = refusal.extras;
    if (retryAfterSeconds !== undefined) res.setHeader("Retry-After", retryAfterSeconds);
    answer(res, status, envelope(refusal, contextOf(res).requestId, docsUrl()));
  };
  return handler;
}

/** The error envelope of the document. */
export function envelope(refusal: Refusal, requestId: string, docsUrl: string): ErrorResponse {
  const { code, extras } = refusal;
  return {
    error: {
      code,
      message: errors[code].message,
      requestId,
      docUrl: errorDocUrl(docsUrl, code),
      ...(extras.details && { details: bounded(extras.details) }),
      ...(extras.required && { required: [...extras.required] }),
    },
  };
}

/** The maximum number of fields that a response names. A request of 32 KB could have thousands of invalid fields. */
const mostDetails = 20;

function bounded(details: readonly ErrorDetail[]): ErrorDetail[] {
  if (details.length <= mostDetails) return [...details];
  const named = details.slice(0, mostDetails - 1);
  return [...named, { field: "…", message: `and ${details.length - named.length} more` }];
}

function asRefusal(error: unknown, res: Response, logger: Logger): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof URIError) {
    return invalidField("path", "must be valid percent-encoding");
  }
  logger.error({ err: error, requestId: contextOf(res).requestId }, "request failed");
  const isPassing = error instanceof StoreUnavailableError;
  return new Refusal("internal_error", isPassing ? { retryAfterSeconds } : {});
}

/** The Retry-After while the database is unavailable, in seconds. */
const retryAfterSeconds = 1;
