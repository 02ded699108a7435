import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { contextOf } from "../http/context.js";
import { html } from "../lib/html.js";
import { QueueFullError } from "../lib/semaphore.js";
import type { SendPage } from "./layout.js";
import { at } from "./root.js";

/** Thrown to refuse a request for a reason that the user should read. */
export class PageRefusal extends Error {
  override readonly name: string = "PageRefusal";

  /** `advice`: what happened and what to do, in whole sentences. */
  constructor(
    readonly status: number,
    readonly title: string,
    readonly advice: string,
    /** When a retry may succeed. Default null: a retry would be refused again. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(title);
  }
}

/** Thrown by a page for a resource that does not exist or belongs to another business. */
export class PageNotFound extends PageRefusal {
  override readonly name = "PageNotFound";

  constructor() {
    const advice =
      "This page does not exist. It may have been removed, or the address is incomplete.";
    super(404, "Page not found", advice);
  }
}

/** Returns the value. @throws PageNotFound if it is null or undefined. */
export function orNotFound<Found>(found: Found | null | undefined): Found {
  if (found === null || found === undefined) throw new PageNotFound();
  return found;
}

/** Answers requests that no page handles. */
export const noSuchPage: RequestHandler = () => {
  throw new PageNotFound();
};

/** Turns every error that a page throws into a page that says what to do. */
export function errorPages(send: SendPage, logger: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
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
    const home = html`<p><a class="button" href="${at(res, "")}">To the board</a></p>
`;
    const refusal = refusalOf(error);
    if (refusal !== null) {
      const { status, title, advice, retryAfterSeconds } = refusal;
      if (retryAfterSeconds !== null) res.setHeader("Retry-After", retryAfterSeconds);
      return send(req, res, { title, body: html`<p>${advice}</p>\n${home}`, status });
    }
    logger.error({ err: error, requestId }, "page failed");
    const body = html`<p>An error occurred on the server. Please try again in a moment.</p>
<p class="soft">If it happens again, give this request id to the operator: <code>${requestId}</code></p>
${home}`;
    send(req, res, { title: "That did not work", body, status: 500 });
  };
}

/** The refusal of a page, or of a request that could not be parsed; null for a fault of the server. */
function refusalOf(error: unknown): PageRefusal | null {
  if (error instanceof PageRefusal) return error;
  if (error instanceof URIError) return new PageNotFound();
  const status = (error as { readonly status?: unknown } | null)?.status;
  if (typeof status !== "number" || status < 400 || status >= 500) return null;
  const advice = "The server could not read the form. Go back and send it again.";
  return new PageRefusal(status, "That did not work", advice);
}

/** Thrown when work ends early because its client closed the connection. */
export class RequestAborted extends Error {
  override readonly name = "RequestAborted";
}

/** A signal that aborts with {@link RequestAborted} if the connection closes before the response is sent. */
export function abortSignalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new RequestAborted());
  if (res.destroyed) abort();
  else res.once("close", () => !res.writableEnded && abort());
  return controller.signal;
}

/** Long enough for the waiting tasks to finish. */
const retryAfterSeconds = 5;

/** The result of work that waits for a semaphore. A full waiting list becomes a page with status 503. */
export async function unlessBusy<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    const advice = "The server is busy. Go back and try again in a moment.";
    throw new PageRefusal(503, "One moment, please", advice, retryAfterSeconds);
  }
}
