import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Logger } from "pino";
import { contextOf } from "../http/context.js";
import { html } from "../lib/html.js";
import type { SendPage } from "./layout.js";
import { PageError, PageNotFound, RequestAborted } from "./page-error.js";
import { dashboardPath } from "./request.js";

/** Handles requests that no page handles. */
export const noSuchPage: RequestHandler = () => {
  throw new PageNotFound();
};

/** Turns every error that a page throws into a page that says what to do. */
export function errorPages(send: SendPage, logger: Logger): ErrorRequestHandler {
  return (error, _req, res, _next) => {
    const { requestId } = contextOf(res);
    if (error instanceof RequestAborted) {
      res.end(); // the client is disconnected; this only completes the request
      return;
    }
    if (res.headersSent) {
      logger.error({ err: error, requestId }, "request failed after its response began");
      res.destroy();
      res.end(); // as above
      return;
    }
    const home = html`<p><a class="button" href="${dashboardPath(res, "")}">To the board</a></p>
`;
    const pageError = pageErrorOf(error);
    if (pageError !== null) {
      const { status, title, advice, retryAfterSeconds } = pageError;
      if (retryAfterSeconds !== null) res.setHeader("Retry-After", retryAfterSeconds);
      return send(res, { title, body: html`<p>${advice}</p>\n${home}`, status });
    }
    logger.error({ err: error, requestId }, "page failed");
    const body = html`<p>An error occurred on the server. Please try again in a moment.</p>
<p class="soft">If it happens again, give this request id to the operator: <code>${requestId}</code></p>
${home}`;
    return send(res, { title: "That did not work", body, status: 500 });
  };
}

/** The error of a page, or of a request that could not be parsed; null for an error of the server. */
function pageErrorOf(error: unknown): PageError | null {
  if (error instanceof PageError) return error;
  if (error instanceof URIError) return new PageNotFound();
  const status = (error as { readonly status?: unknown } | null)?.status;
  if (typeof status !== "number" || status < 400 || status >= 500) return null;
  const advice =
    status === 413
      ? "The form is too long. Go back and shorten it."
      : "The server could not read the form. Go back and send it again.";
  return new PageError(status, "That did not work", advice);
}
