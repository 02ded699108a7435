import { hash } from "node:crypto";
import type { Response } from "express";
import type { Board, LinePart } from "../../operations/boards.js";
import type { Store } from "../../operations/store.js";
import { businessDay } from "../../rules/business-day.js";
import type { Business } from "../../rules/records.js";
import { isByScript } from "../request.js";

/** How many people of each line are shown by default. */
const lineLimit = 20;

/** A board and its day. */
export interface BoardToday {
  readonly board: Board;
  readonly date: string;
}

/** Reads today's board. `part`: the part of one queue's line to show instead of its beginning, or null. */
export async function boardToday(
  store: Pick<Store, "boards" | "now">,
  business: Business,
  part: LinePart | null,
): Promise<BoardToday> {
  const date = businessDay(store.now(), business.timezone);
  const board = await store.boards.get(business.id, date, { limit: lineLimit, part });
  return { board, date };
}

/**
 * The same for a page that a script follows. The script sends the version that it shows: if that is the current one,
 * the response is 304 and the result null.
 */
export async function changedBoard(
  store: Pick<Store, "boards" | "now">,
  res: Response,
  business: Business,
  part: LinePart | null,
): Promise<BoardToday | null> {
  const known = isByScript(res.req) ? res.req.get("If-None-Match") : undefined;
  if (known !== undefined) {
    const date = businessDay(store.now(), business.timezone);
    if (known === tagOf(await store.boards.version(business.id, date))) {
      res.status(304).end();
      return null;
    }
  }
  const today = await boardToday(store, business, part);
  res.setHeader("ETag", tagOf(today.board.version));
  return today;
}

function tagOf(version: string): string {
  return `"${version}"`;
}

/**
 * The id of what stays as people come and go: the queues, the choices in the forms and `more`. A page whose frame has
 * another id must be loaded again.
 */
export function frameOf({ queues, services }: Board, more: string): string {
  const still = [
    queues.map(({ queue: { id, name } }) => [id, name]),
    services.filter(({ active }) => active).map(({ id, name }) => [id, name]),
    more,
  ];
  return hash("sha256", JSON.stringify(still), "base64url").slice(0, 12);
}
