import type { Response } from "express";
import { knownCaller } from "../endpoints/caller.js";
import type { AuditTrail } from "./audit.js";
import { exchangeOf } from "./exchange.js";
import { constantHeaders } from "./headers.js";

/** Sends a JSON answer with every header that each answer carries, and records it in the audit log. */
export type Answer = (res: Response, status: number, body: unknown) => void;

/** How answers are sent. `isStopping` tells whether connections should be given up after an answer. */
export function answerer(audit: AuditTrail, isStopping: () => boolean): Answer {
  return (res, status, body) => {
    const { requestId, window } = exchangeOf(res);
    const text = JSON.stringify(body);
    const headers = [
      ...constantHeaders,
      "X-Request-Id",
      requestId,
      "Content-Type",
      "application/json; charset=utf-8",
      "Content-Length",
      `${Buffer.byteLength(text)}`,
    ];
    if (window) {
      headers.push("RateLimit-Limit", `${window.limit}`);
      headers.push("RateLimit-Remaining", `${window.remaining}`);
      headers.push("RateLimit-Reset", `${window.resetSeconds}`);
    }
    if (isStopping()) headers.push("Connection", "close");

    const caller = knownCaller(res);
    if (caller && !caller.audited) audit.record(caller.auditRow(status));

    for (const [name, value] of Object.entries(res.getHeaders())) headers.push(name, `${value}`);
    res.writeHead(status, headers);
    res.end(text);
  };
}
