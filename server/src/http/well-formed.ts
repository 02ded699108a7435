import type { Request } from "express";
import { invalidField, type Refusal } from "../rules/refusal.js";
import type { Step } from "./steps.js";

/**
 * What HTTP/1.1 itself asks of a request. Node leaves some of it open and refuses some of it without
 * the document's envelope.
 */
export const wellFormed: Step = (req) => {
  const fault = faultOf(req);
  if (fault) throw fault;
  return undefined;
};

function faultOf({ headers, httpVersion, rawHeaders }: Request): Refusal | null {
  const { host, expect, "transfer-encoding": coding } = headers;
  if (host === undefined && httpVersion === "1.1") return invalidField("Host", "is required");
  if (timesSent(rawHeaders, "host") > 1) return invalidField("Host", "must appear once");
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    return invalidField("Expect", "must be 100-continue");
  }
  // Node takes other codings off nothing; a proxy that does would read another body than we.
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return invalidField("Transfer-Encoding", "must be chunked");
  }
  return null;
}

/** How often a header was sent. Node keeps the first of several and drops the rest. */
export function timesSent(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i];
    if (sent?.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}
