import type { Response } from "express";
import type { Business } from "../../rules/records.js";
import { stillSignedIn } from "../accounts/require-owner.js";
import { EventStream } from "./event-stream.js";
import type { LiveBoards } from "./live-boards.js";
import type { Snapshot } from "./snapshot.js";

/** How often a stream says that it is alive, and asks whether its session still is. */
const beatEveryMs = 2_000;

/** After how many beats that a browser did not take its connection is given up. */
const mostUntaken = 15;

/** What a browser wants to follow, and what it shows already. */
export interface Wanted {
  readonly business: Business;
  /** The queue of which everybody waiting is shown, or null. */
  readonly wholeLine: string | null;
  /** Ids of the snapshot and of the frame that it shows. */
  readonly snapshot: string;
  readonly frame: string;
}

/**
 * Sends a board as server-sent events, until the browser goes, its session ends or the service stops:
 * `patch` with what to change, `live` once all of it is sent, `beat` as a sign of life, `reload` when
 * the page must be loaded anew. What a browser is slow to take is not queued: when it has taken it, it is
 * sent the way from there to the newest.
 */
export async function streamBoard(
  res: Response,
  boards: LiveBoards,
  stopping: AbortSignal,
  wanted: Wanted,
): Promise<void> {
  const follower = { changed: () => catchUp(), lost: () => end() };
  const showing = await boards.follow(wanted.business, wanted.wholeLine, follower);
  const events = new EventStream(res);
  let shown: Snapshot | null = showing.find(wanted.snapshot);
  let untaken = 0;

  function catchUp(): void {
    const newest = showing.current?.snapshot;
    if (!newest || newest === shown || events.isFull) return;
    if (newest.frame === wanted.frame) {
      events.send("patch", showing.patchFrom(shown), newest.id);
      shown = newest;
    } else {
      reload();
    }
  }

  function reload(): void {
    events.send("reload");
    end();
  }

  function end(): void {
    clearInterval(beat);
    showing.followers.delete(follower);
    stopping.removeEventListener("abort", end);
    events.end();
  }

  async function checkAndBeat(): Promise<void> {
    if (!(await stillSignedIn(res))) {
      reload();
    } else if (!events.isFull) {
      events.send("beat");
      untaken = 0;
    } else if (++untaken >= mostUntaken) {
      res.destroy();
    }
  }

  const beat = setInterval(() => void checkAndBeat().catch(end), beatEveryMs);
  res.on("drain", catchUp);
  res.on("close", end);
  stopping.addEventListener("abort", end);
  if (res.closed || stopping.aborted) return end();
  catchUp();
  events.send("live");
}
