import type { ServerResponse } from "node:http";
import type { ErrorCode } from "@queue-api/contract";
import type { RequestHandler, Response } from "express";
import { normalAddress, signInSubject } from "../rules/address.js";
import type { ApiError } from "../rules/api-error.js";
import { newUuid } from "../rules/ids.js";
import type { Random } from "../rules/ports.js";
import type { ApiKey, Business } from "../rules/records.js";
import type { WindowReport } from "../rules/window.js";

/** The sender of a request with a valid key. */
export interface Caller {
  readonly key: ApiKey;
  readonly business: Business;
  /** The store's time at admission, at which the request reads. A body can arrive much later. */
  readonly now: number;
  /** Whether the request was admitted, and so counted in the windows of its key. */
  readonly isAdmitted: boolean;
}

/** What the middleware knows about a request and its response. Each one fills in what it finds out. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's address in normal form. */
  readonly address: string;
  /** The subject that failed sign-ins from this address are counted for. */
  readonly subject: string;
  /** The window that the RateLimit headers report; null until one is known. */
  window: WindowReport | null;
  /** Null until admission finds a valid key. */
  caller: Caller | null;
  /** The error code of the response; null if there is no error. */
  errorCode: ErrorCode | null;
  /** Whether the audit row is stored already, in the write that it records. */
  isAudited: boolean;
  /** Why the rest of the body cannot arrive; null while it can. */
  bodyError: ApiError | null;
  /** Called when `bodyError` becomes known; null until a body is read. */
  onBodyError: ((error: ApiError) => void) | null;
}

/** Starts the context of a request with its id and its address. */
export function requestContext(random: Random): RequestHandler {
  return (req, res, next) => {
    const requestId = newUuid(random);
    const address = normalAddress(req.ip ?? "");
    const context: RequestContext = {
      requestId,
      address,
      subject: signInSubject(address),
      window: null,
      caller: null,
      errorCode: null,
      isAudited: false,
      bodyError: null,
      onBodyError: null,
    };
    res.locals.context = context;
    res.setHeader("X-Request-Id", requestId);
    next();
  };
}

/** The context of a request that has entered the pipeline. */
export function contextOf(res: Response): RequestContext {
  return res.locals.context as RequestContext;
}

/** The context of a request, or undefined if the request has not entered the pipeline. */
export function knownContext(res: ServerResponse): RequestContext | undefined {
  return (res as Response).locals?.context as RequestContext | undefined;
}

/** The caller of a request that has passed admission. Throws if it has not. */
export function callerOf(res: Response): Caller {
  const { caller } = contextOf(res);
  if (!caller) throw new Error("an endpoint that needs a key was reached without admission");
  return caller;
}
