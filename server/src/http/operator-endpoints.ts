import { hash, timingSafeEqual } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";
import type { Express, Response } from "express";
import type { Logger } from "pino";
import type { Store } from "../operations/store.js";
import { constantHeaders, rateLimitHeaders, untouchedWindow } from "./headers.js";

interface ProbeDeps {
  readonly store: Store;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}

/** Adds the probes for operators: `/healthz` (the process is alive) and `/readyz` (it can serve requests). */
export function addProbes(app: Express, { store, logger, isStopping }: ProbeDeps): void {
  const send = (res: Response, code: number, status: string) => {
    rateLimitHeaders(res, untouchedWindow);
    res.status(code).json({ status });
  };
  app.get("/healthz", (_req, res) => send(res, 200, "ok"));
  app.get("/readyz", async (_req, res) => {
    if (isStopping()) return send(res, 503, "stopping");
    try {
      await store.ping();
      send(res, 200, "ready");
    } catch (error) {
      logger.warn({ err: error }, "not ready: the database does not respond");
      send(res, 503, "database unavailable");
    }
  });
}

/** The response to a scrape. */
interface Scrape {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Handles `GET /metrics`. `token` is the bearer token of a scraper; null admits every client that reaches the port. A
 * missing or wrong token is a 401, but not a failed sign-in of the API: the token gives access to nothing else, and an
 * API key gives no access to the metrics.
 */
export function metricsListener(
  scrape: () => Promise<Scrape>,
  token: string | null,
  logger: Logger,
): RequestListener {
  return async (req, res) => {
    constantHeaders(req, res, () => undefined);
    if (token !== null && !isToken(token, req.headers.authorization)) {
      res.setHeader("WWW-Authenticate", 'Bearer realm="metrics"');
      send(res, 401, { contentType: plain, text: "a metrics token is required\n" });
      return;
    }
    try {
      send(res, 200, await scrape());
    } catch (error) {
      logger.error({ err: error }, "the metrics cannot be read");
      send(res, 500, { contentType: plain, text: "the metrics cannot be read\n" });
    }
  };
}

const plain = "text/plain; charset=utf-8";

function send(res: ServerResponse, status: number, { contentType, text }: Scrape): void {
  res.writeHead(status, {
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(text),
  });
  res.end(text);
}

/** Compares hashes, so that the duration reveals neither the token's text nor its length. */
function isToken(token: string, authorization = ""): boolean {
  const [, given = ""] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
