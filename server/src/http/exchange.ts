import type { ServerResponse } from "node:http";
import type { ErrorCode } from "@queue-api/contract";
import type { AppRoute } from "@ts-rest/core";
import type { Response } from "express";
import type { WindowReport } from "../rules/window.js";

/** The parts of a request as the contract reads them. */
export interface EndpointInput {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** What the pipeline knows of a request and its answer. */
export interface Exchange {
  readonly requestId: string;
  /** The caller's address in normal form. */
  readonly address: string;
  /** Whom the caller's failed sign-ins are counted for. */
  readonly subject: string;
  /** The window that the RateLimit headers report; null where none applies. */
  window: WindowReport | null;
  /** The error that the request was answered with; null as long as there is none. */
  refusal: ErrorCode | null;
  /** The route that it takes; null until one is found. */
  route: AppRoute | null;
  /** What the endpoint is called with; null until it is validated. */
  input: EndpointInput | null;
  /** Called when the body takes too long to arrive; null while none is being read. */
  onTimeout: (() => void) | null;
}

/** What is known of a request that the pipeline may not have seen yet. */
export function knownExchange(res: ServerResponse): Exchange | undefined {
  return (res as Response).locals?.exchange as Exchange | undefined;
}

export function setExchange(res: Response, exchange: Exchange): void {
  res.locals.exchange = exchange;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals.exchange as Exchange;
}
