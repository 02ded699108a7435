import { invalidField } from "../rules/refusal.js";
import type { Step } from "./steps.js";

/**
 * What HTTP/1.1 itself asks of a request. Node would refuse the same, but without the document's
 * envelope.
 */
export const wellFormed: Step = (req) => {
  const { host, expect } = req.headers;
  if (host === undefined && req.httpVersion === "1.1") throw invalidField("Host", "is required");
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    throw invalidField("Expect", "must be 100-continue");
  }
  return undefined;
};
