import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";
import type { SessionWatch } from "./accounts/session-watch.js";
import type { SendPage } from "./layout.js";
import type { Time } from "./time.js";

/** The dependencies of pages. */
export interface DashboardDeps {
  readonly store: Store;
  readonly random: Random;
  readonly logger: Logger;
  /** URL of the service as its callers know it, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Sends a page in the frame that all pages share. */
  readonly send: SendPage;
  /** Aborted when the service stops. Open responses must end then. */
  readonly stopping: AbortSignal;
  /** Notifies the holders of open responses when their session ends. */
  readonly sessions: SessionWatch;
  readonly time: Time;
  /** The waiting-room displays. */
  readonly displays: { readonly ended: (displayHash: string) => void };
}

/** A page of the dashboard: a row of the table in `pages.ts`. */
export interface Page {
  /** Relative to `/dashboard`, with a leading slash; empty for the first page. */
  readonly path: string;
  /** The name in the navigation. */
  readonly title: string;
  /** Whether it is in the account menu instead of the navigation. Default no. */
  readonly inMenu?: boolean;
  /**
   * Adds the page's routes to the router, with their whole path below `/dashboard`. All of them require a
   * sign-in: `signedIn(res)` returns the account and its business.
   */
  readonly addRoutes: (router: PageRouter, deps: DashboardDeps) => void;
  /** Whether staff see the page. Default no: the page's routes refuse staff. */
  readonly forStaff?: boolean;
}

/** Where a page adds its routes, each with its whole path below the dashboard. */
export interface PageRouter {
  // biome-ignore lint/suspicious/noExplicitAny: a handler names the parameters of its own path
  get(path: string, handler: RequestHandler<any>): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  post(path: string, handler: RequestHandler<any>): unknown;
}
