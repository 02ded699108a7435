import type { ServerResponse } from "node:http";
import type { ErrorCode } from "@queue-api/contract";
import type { AppRoute } from "@ts-rest/core";
import type { Response } from "express";
import type { KeyedRequest } from "../rules/idempotency.js";
import type { ApiKey, AuditRow, Business } from "../rules/records.js";
import type { WindowReport } from "../rules/window.js";

/** The parts of a request after validation against the contract. */
export interface EndpointInput {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** The sender of a request with a valid key. */
export interface Caller {
  readonly key: ApiKey;
  readonly business: Business;
  /** The store's time at admission. The whole request uses this time. */
  readonly now: number;
  /** Whether the request was admitted, and so counted in the windows of its key. */
  readonly isAdmitted: boolean;
}

/** What the pipeline knows about a request and its response. Each step fills in what it finds out. */
export interface RequestContext {
  readonly requestId: string;
  /** The client's address in normal form. */
  readonly address: string;
  /** The subject that failed sign-ins from this address are counted for. */
  readonly subject: string;
  /** The window that the RateLimit headers report; null if none applies. */
  window: WindowReport | null;
  /** Null until admission finds a valid key. */
  caller: Caller | null;
  /** The matching route; null until one is found. */
  route: AppRoute | null;
  /** The input of the endpoint; null until it is validated. */
  input: EndpointInput | null;
  /** The Idempotency-Key of a creation; null if it has none. */
  keyed: KeyedRequest | null;
  /** The error code of the response; null if there is no error. */
  refusal: ErrorCode | null;
  /** Whether the audit row is stored already, in the same atomic step as the write that it records. */
  isAudited: boolean;
  /** Called when the body arrives too slowly; null while no body is being read. */
  onTimeout: (() => void) | null;
}

/** Starts the context of a request. */
export function beginContext(
  res: Response,
  start: Pick<RequestContext, "requestId" | "address" | "subject">,
): void {
  const context: RequestContext = {
    window: null,
    caller: null,
    route: null,
    input: null,
    keyed: null,
    refusal: null,
    isAudited: false,
    onTimeout: null,
    ...start, // last: each field that a literal adds after a spread takes Node half a microsecond
  };
  res.locals.context = context;
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

const longestAuditedPath = 200; // the longest path of the document has 56 characters

/** The audit row of a request with a valid key whose response has this status. */
export function auditRowOf(res: Response, status: number): AuditRow {
  const { requestId, address } = contextOf(res);
  const { key, business, now } = callerOf(res);
  const { method, path } = res.req;
  return {
    businessId: business.id,
    keyId: key.id,
    account: null,
    at: now,
    method,
    path: path.slice(0, longestAuditedPath),
    status,
    ip: address,
    requestId,
    sum: null,
  };
}
