import type { RouteMetadata, routes } from "@queue-api/contract";
import type { TsRestRequestHandler } from "@ts-rest/express";
import type { RequestHandler } from "express";
import { ApiError } from "../rules/api-error.js";
import { callerOf } from "./context.js";

/** Refuses a key that lacks the scope its route needs. */
export const requireScope: TsRestRequestHandler<typeof routes> = (req, res, next) => {
  const { access }: RouteMetadata = req.tsRestRoute.metadata;
  const isPublic = access === null || access === "public";
  if (!isPublic && !callerOf(res).key.scopes.includes(access)) {
    throw new ApiError("insufficient_scope", { required: [access] });
  }
  next();
};

/** Refuses requests that match no route: unknown paths and methods, including OPTIONS. */
export const notFound: RequestHandler = () => {
  throw new ApiError("not_found");
};
