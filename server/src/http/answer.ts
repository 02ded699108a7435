import type { Response } from "express";
import { knownCaller } from "../endpoints/caller.js";
import { contentOf } from "../endpoints/serialized-body.js";
import { signInReport } from "../rules/admission.js";
import type { WindowLimit, WindowReport } from "../rules/window.js";
import type { AuditTrail } from "./audit.js";
import { exchangeOf } from "./exchange.js";
import { constantHeaders } from "./headers.js";

/** Sends a JSON answer with every header that each answer carries, and records it in the audit log. */
export type Answer = (res: Response, status: number, body: unknown) => void;

/** How answers are sent. `isStopping` tells whether connections should be given up after an answer. */
export function answerer(audit: AuditTrail, isStopping: () => boolean): Answer {
  return (res, status, body) => {
    const { requestId, window } = exchangeOf(res);
    const serialized = contentOf(body) ?? JSON.stringify(body);
    const { bytes: content, coding } =
      typeof serialized === "string"
        ? { bytes: serialized, coding: null }
        : serialized.chosen((coding) => res.req.acceptsEncodings(coding) === coding);
    const headers = answerHeaders(requestId, window, Buffer.byteLength(content));
    if (typeof serialized !== "string") headers.push("Vary", "Accept-Encoding");
    if (coding) headers.push("Content-Encoding", coding);
    if (isStopping()) headers.push("Connection", "close");

    const caller = knownCaller(res);
    if (caller && !caller.audited) {
      const row = caller.auditRow(status);
      if (caller.admitted) audit.record(row);
      else audit.recordRefused(row, caller.key.requestsPerMinute);
    }

    res.writeHead(status, headers);
    res.end(content);
  };
}

/** Every header of an answer that does not depend on its endpoint, as a flat list. */
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

/** What is told where no window could be read: before the caller is known, or without a database. */
const untouchedWindow = signInReport(null, 0);
