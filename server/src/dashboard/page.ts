import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { Random } from "../rules/ports.js";
import type { KeyReleases } from "../store/key-releases.js";
import type { Store } from "../store/store.js";
import type { SessionWatch } from "./accounts/session-watch.js";
import type { Displays } from "./display/displays.js";
import type { SendPage } from "./layout.js";
import type { Time } from "./time.js";

/** What pages are made of. */
export interface DashboardDeps {
  readonly store: Store;
  readonly random: Random;
  readonly logger: Logger;
  readonly keyReleases: KeyReleases;
  /** Address of the service as its callers know it, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Sends a page in the frame that all pages share. */
  readonly send: SendPage;
  /** Aborted when the service stops: whoever holds an answer open ends it then. */
  readonly stopping: AbortSignal;
  /** Tells whoever holds an answer open when its session ends. */
  readonly sessions: SessionWatch;
  readonly time: Time;
  /** The waiting-room displays. */
  readonly displays: Pick<Displays, "ended">;
}

/** A page of the dashboard: a row of the table in `pages.ts`. */
export interface Page {
  /** Below `/dashboard`, with a slash in front; empty for the first page. */
  readonly path: string;
  /** In the list of pages. */
  readonly title: string;
  /** Whether it is in the menu of the account, and not in the list of pages. Default no. */
  readonly inMenu?: boolean;
  /**
   * Adds the page's routes to the router, with their whole path below `/dashboard`. Each is asked by
   * somebody who is signed in only: `signedIn(res)` tells who, and for which business.
   */
  readonly addRoutes: (router: PageRouter, deps: DashboardDeps) => void;
  /** Whether staff see the page. Default: owners alone do, and the page's routes refuse staff. */
  readonly forStaff?: boolean;
}

/** Where a page adds its routes, each with its whole path below the dashboard. */
export interface PageRouter {
  // biome-ignore lint/suspicious/noExplicitAny: a handler names the parameters of its own path
  get(path: string, handler: RequestHandler<any>): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  post(path: string, handler: RequestHandler<any>): unknown;
}
