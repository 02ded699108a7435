import type { IncomingMessage, ServerResponse } from "node:http";
import { apiVersion } from "@queue-api/contract";
import type { Response } from "express";
import helmet from "helmet";
import { auditRowOf, contextOf } from "../endpoints/request-context.js";
import { contentOf } from "../endpoints/serialized-body.js";
import { Encodings } from "../lib/encodings.js";
import { signInReport } from "../rules/admission.js";
import type { WindowLimit, WindowReport } from "../rules/window.js";
import type { AuditTrail } from "./audit.js";

/** Sends a JSON response with the headers that every response has, and records it in the audit log. */
export type Answer = (res: Response, status: number, body: unknown) => void;

/** Makes the function that sends responses. `isStopping`: whether each response ends its connection. */
export function answerer(audit: AuditTrail, isStopping: () => boolean): Answer {
  return (res, status, body) => {
    const { requestId, window, caller, isAudited } = contextOf(res);
    const serialized = contentOf(body) ?? JSON.stringify(body);
    const { bytes: content, headers: coding } =
      serialized instanceof Encodings
        ? serialized.chosenFor(res.req)
        : { bytes: serialized, headers: [] };
    const headers = answerHeaders(requestId, window, Buffer.byteLength(content));
    headers.push(...coding);
    if (isStopping()) headers.push("Connection", "close");

    if (caller && !isAudited) {
      const row = auditRowOf(res, status);
      if (caller.isAdmitted) audit.record(row);
      else audit.recordRefused(row, caller.key.requestsPerMinute);
    }

    res.writeHead(status, headers);
    res.end(content);
  };
}

/** The headers that do not depend on the endpoint, as a flat list of names and values. */
export function answerHeaders(requestId: string, window: WindowReport | null, length: number) {
  const { limit, remaining, resetSeconds, policy } = window ?? untouchedWindow;
  return [
    ...constantHeaders,
    "X-Request-Id",
    requestId,
    "RateLimit-Limit",
    `${limit}`,
    "RateLimit-Remaining",
    `${remaining}`,
    "RateLimit-Reset",
    `${resetSeconds}`,
    "RateLimit-Policy",
    policy.map(policyItem).join(", "),
    "Content-Type",
    "application/json; charset=utf-8",
    "Content-Length",
    `${length}`,
  ];
}

/** A window's limit as an item of RateLimit-Policy: its quota and its length in seconds. */
function policyItem({ name, limit, seconds }: WindowLimit): string {
  return `"${name}";q=${limit};w=${seconds}`;
}

/** The window that is reported before the address is known, or without a database. */
const untouchedWindow = signInReport(null, 0);

/** helmet's headers for a service that sends JSON and is never shown in a browser. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: "deny" },
  strictTransportSecurity: { includeSubDomains: false }, // other services may run below this host
  // These concern pages and downloads in a browser; a JSON API has neither.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xPermittedCrossDomainPolicies: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xXssProtection: false,
});

/** The headers that are the same on every response, as a flat list of names and values. */
export const constantHeaders: readonly string[] = [
  ...securityHeaders(),
  "API-Version",
  apiVersion.major,
  "Cache-Control",
  "no-store",
];

/** The headers of helmet do not depend on the request, so they are computed once. */
function securityHeaders(): string[] {
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  secure({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}
