import type { Request, Response, Router } from "express";
import { hashSecret } from "../../rules/key.js";
import type { Business } from "../../rules/records.js";
import { SessionWatch } from "../accounts/session-watch.js";
import { BoardStream } from "../board/board-stream.js";
import { LiveBoards } from "../board/board-watch.js";
import { OpenStreams } from "../board/open-streams.js";
import { PageRefusal } from "../errors.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { displaySnapshot, sendDisplay } from "./screen.js";

type DisplayRequest = Request<{ token: string }>;

/** Limits of the open displays in one process. They leave room for the boards. */
const limits = { ofSession: 20, ofBusiness: 20, ofAll: 500 } as const;

/**
 * The displays in waiting rooms. A display opens by a link that only its token protects, and shows tokens
 * and counters. Its stream stays open as long as the link is valid.
 */
export class Displays {
  readonly #store: DashboardDeps["store"];
  readonly #boards: LiveBoards;
  readonly #streams: OpenStreams;
  readonly #links: SessionWatch;

  constructor(deps: Omit<DashboardDeps, "displays">) {
    const { store, logger, stopping, time } = deps;
    this.#store = store;
    this.#boards = new LiveBoards({ ...deps, render: displaySnapshot });
    this.#streams = new OpenStreams(stopping, logger, limits);
    const links = { get: (hash: string) => store.businesses.byDisplay(hash) };
    this.#links = new SessionWatch({ store: { sessions: links }, logger, time });
  }

  /** Adds the routes that need a link but no sign-in. */
  addRoutes(router: Router): void {
    router.get("/display/:token", (req, res) => this.#show(req, res));
    router.get("/display/:token/events", (req, res) => this.#stream(req, res));
  }

  /** Reports that the link with this hash is no longer valid. Its displays go dark at once. */
  ended(displayHash: string): void {
    this.#links.ended(displayHash);
  }

  async #show(req: DisplayRequest, res: Response): Promise<void> {
    const { token } = req.params;
    const business = await this.#business(token);
    const { board, snapshot } = await this.#boards.of(business).read(null);
    const query = new URLSearchParams({ snapshot: snapshot.id, frame: snapshot.frame });
    const chosen = [req.query.queue ?? []].flat().map(String);
    sendDisplay(req, res, {
      business,
      events: at(res, `/display/${token}/events?${query}`),
      board,
      pieces: snapshot.pieces,
      chosen,
    });
  }

  async #stream(req: DisplayRequest, res: Response): Promise<void> {
    const { token } = req.params;
    const business = await this.#business(token);
    const { snapshot, frame } = req.query;
    const shown = { snapshot: String(snapshot ?? ""), frame: String(frame ?? "") };
    const stream = new BoardStream(res, { business, part: null, ...shown });
    const [boards, streams, sessions] = [this.#boards, this.#streams, this.#links];
    const link = { id: hashSecret(token), ownerId: "" };
    await stream.open(link, { boards, streams, sessions });
  }

  /** @throws PageRefusal 404 for a link that is not, or no longer, valid */
  async #business(token: string): Promise<Business> {
    const business = await this.#store.businesses.byDisplay(hashSecret(token));
    if (business) return business;
    const advice =
      "The link to this display does not work any more. The owner of the business can make a new one under Settings.";
    throw new PageRefusal(404, "This display is off", advice);
  }
}
