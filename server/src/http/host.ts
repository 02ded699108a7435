import type { RequestHandler } from "express";
import { invalidField } from "../rules/refusal.js";

/** HTTP/1.1 asks for a Host. Node would refuse its absence without our envelope, so it is done here. */
export const requireHost: RequestHandler = (req, _res, next) => {
  if (req.headers.host === undefined && req.httpVersion === "1.1") {
    throw invalidField("Host", "is required");
  }
  next();
};
