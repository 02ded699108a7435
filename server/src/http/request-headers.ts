import type { RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { invalidField } from "../rules/api-error.js";
import { contextOf } from "./context.js";

/**
 * Checks what HTTP/1.1 requires of a request. Node does not check all of it, and refuses some of it without the
 * document's envelope.
 */
export const wellFormed: RequestHandler = ({ headers, httpVersion, rawHeaders }, res, next) => {
  const { host, expect, "transfer-encoding": coding } = headers;
  if (coding !== undefined) refuseUnlessChunked(coding, httpVersion, res);
  if (host === undefined && httpVersion === "1.1") throw invalidField("Host", "is required");
  if (timesSent(rawHeaders, "host") > 1) throw invalidField("Host", "must appear once");
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    throw invalidField("Expect", "must be 100-continue");
  }
  next();
};

/**
 * Node decodes no other coding, and HTTP/1.0 has none. A proxy may read another body from the same bytes, so none that
 * follow are read as a request.
 */
function refuseUnlessChunked(coding: string, httpVersion: string, res: Response): void {
  const isChunked = coding.toLowerCase() === "chunked";
  if (isChunked && httpVersion !== "1.0") return;
  res.shouldKeepAlive = false;
  const message = isChunked ? "must be absent in HTTP/1.0" : "must be chunked";
  throw invalidField("Transfer-Encoding", message);
}

/**
 * How often a header was sent. Node keeps the first one and drops the rest. Its `headersDistinct` fails in Node 20.19
 * if a header has the name `__proto__`.
 */
export function timesSent(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i];
    if (sent?.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}

const header = "Sandbox-Only";

/**
 * Refuses a request with the header Sandbox-Only, of any value, if its key belongs to a business that is not a
 * sandbox. The page to try requests sends this header, and so may any test that must not affect real customers.
 */
export const sandboxOnly: RequestHandler = (req, res, next) => {
  const isReal = contextOf(res).caller?.business.sandbox === false;
  if (isReal && req.headers[header.toLowerCase()] !== undefined) {
    throw invalidField(header, "must be left out: the key's business is not a sandbox");
  }
  next();
};

const everyMs = 60_000;

/**
 * Warns, at most once a minute, of requests with `X-Forwarded-For` while `TRUST_PROXY` is not set. The service
 * then treats the proxy as the caller of all of them, so the failed sign-ins of one caller bar everyone behind it.
 */
export function forwardedWarning(
  logger: Pick<Logger, "warn">,
  elapsed: () => number = () => performance.now(),
): RequestHandler {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (req, _res, next) => {
    if (req.headers["x-forwarded-for"] !== undefined && elapsed() >= quietUntil) {
      quietUntil = elapsed() + everyMs;
      logger.warn(
        { from: req.socket.remoteAddress },
        "X-Forwarded-For is ignored because TRUST_PROXY is not set: every caller behind a proxy counts as one address; set TRUST_PROXY, or set it to 0 where there is no proxy",
      );
    }
    next();
  };
}
