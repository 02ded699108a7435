import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorCode, routeOf } from "@queue-api/contract";
import type { Request, Response } from "express";
import { knownContext, type RequestContext } from "./context.js";

/**
 * Observes requests without changing them. It receives each request on arrival, and must call `proceed` once,
 * synchronously.
 */
export type RequestObserver = (
  req: IncomingMessage,
  res: ServerResponse,
  proceed: () => void,
) => void;

/** Limits that a request may run into. */
export const requestLimits = ["requests", "writes", "sign_ins", "daily_tokens"] as const;
type RequestLimit = (typeof requestLimits)[number];

/**
 * How a request ended. No value contains text that a caller chose. Call it when the response is sent or the connection is
 * closed.
 */
export function requestOutcome(req: IncomingMessage, response: ServerResponse) {
  const res = response as Response; // Express has made it one, unless it never saw the request
  const context = knownContext(res);
  const errorCode = context?.errorCode ?? null;
  return {
    /** Method and template of the route, as in `GET /v1/entries/:entryId`; `unmatched` where none fits. */
    route: routeLabel(req),
    /** Null if the client disconnected before the response was sent. */
    status: res.writableFinished ? res.statusCode : null,
    /** The error code of the response. */
    errorCode,
    /** The limit that refused it. */
    limit: errorCode && limitHit(errorCode, context),
    /** Whether the response is a replay. */
    replayed: res.statusCode === 201 && res.hasHeader("Idempotent-Replay"),
  };
}

/** The route, also of a request that was refused before the router ran. */
function routeLabel(req: IncomingMessage): string {
  const path = sentPath(req);
  const { method = "" } = req;
  if (isBelow("/dashboard", path)) return dashboardRoute(req as Request);
  return routeOf(method, path) ?? operatorRoute(method, path) ?? "unmatched";
}

const operatorPaths = new Set(["/healthz", "/readyz", "/metrics"]);

/** Paths outside the API. */
function operatorRoute(method: string, path: string): string | null {
  if (method !== "GET" && method !== "HEAD") return null;
  if (operatorPaths.has(path)) return `GET ${path}`;
  return isBelow("/docs", path) ? "GET /docs/*" : null;
}

/** A page by its template. All requests that are refused before a page is found have one label. */
function dashboardRoute({ method, route }: Request): string {
  if (typeof route?.path !== "string") return "/dashboard/*";
  return `${method === "HEAD" ? "GET" : method} /dashboard${route.path}`;
}

/** Whether a path is that of a folder, or of something in it. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The path as it was sent; below a mounted router `url` is only the rest of it. */
export function sentPath(req: IncomingMessage): string {
  const { originalUrl = req.url ?? "" } = req as { originalUrl?: string };
  const end = originalUrl.indexOf("?");
  return end === -1 ? originalUrl : originalUrl.slice(0, end);
}

function limitHit(errorCode: ErrorCode, context: RequestContext | undefined): RequestLimit | null {
  switch (errorCode) {
    case "rate_limited":
      // The reported window is the exhausted one, and the first of its policy.
      return context?.window?.policy[0]?.name === "writes" ? "writes" : "requests";
    case "too_many_failed_attempts":
      return "sign_ins";
    case "plan_limit_reached":
      return "daily_tokens";
    default:
      return null;
  }
}
