import { randomBytes } from "node:crypto";
import { openStore, type Store } from "@queue-api/server";
import { BoardStream } from "../../../server/src/dashboard/board/board-stream.js";
import { LiveBoards } from "../../../server/src/dashboard/board/live-boards.js";
import {
  OpenStreams,
  type StreamLimits,
} from "../../../server/src/dashboard/board/open-streams.js";
import { MovableClock, morning } from "../../support/clock.js";
import { interposed, type Operations } from "../../support/interposed.js";
import { ownerOf } from "../../support/owner.js";
import { clinicSeed } from "../../support/seed.js";
import { busyClinic } from "./board.js";
import { Connection } from "./connection.js";
import { PassingTime } from "./passing-time.js";
import { addSession } from "./quick-sign-in.js";

interface Session {
  readonly id: string;
  readonly ownerId: string;
}

interface LiveBoardOptions {
  /** Default: those of the service. */
  readonly limits?: StreamLimits;
  /** Store operations that a test replaces. */
  readonly interpose?: (store: Store) => Operations;
}

/** The live board of a clinic without a server, on a clock that a test controls. */
export async function liveBoard({ limits, interpose }: LiveBoardOptions = {}) {
  const clock = new MovableClock(morning);
  const original = await openStore("memory:", { clock: clock.read, random: randomBytes });
  const store = interpose ? interposed(original, interpose(original)) : original;
  const seed = clinicSeed(busyClinic);
  const { entries } = await ownerOf(original, clock.read).seed(seed);
  const business = await seededBusiness(original, seed.slug);

  const reads: string[] = [];
  const counted = interposed(store, {
    boards: {
      get: (...request) => {
        reads.push("board");
        return store.boards.get(...request);
      },
      version: (...request) => {
        reads.push("version");
        return store.boards.version(...request);
      },
    },
    sessions: {
      get: (hash) => {
        reads.push("session");
        return store.sessions.get(hash);
      },
    },
  });
  const time = new PassingTime();
  const errors: unknown[] = [];
  const note = (about: unknown) => errors.push(about);
  const logger = { warn: note, error: note };
  const stop = new AbortController();
  const deps = { store: counted, logger, time, baseUrl: () => "http://queue.example" };
  const boards = new LiveBoards(deps);
  const streams = new OpenStreams(stop.signal, limits);

  /** Signs an owner in. */
  async function signIn(): Promise<Session> {
    const { session } = await addSession(original, seed.slug, clock.read());
    return { id: session.tokenHash, ownerId: session.ownerId };
  }

  /** Opens the stream for a browser that shows the current board. */
  async function open(session: Session, connection = new Connection()): Promise<Connection> {
    const { snapshot } = await boards.read(business, null);
    connection.req.query = { snapshot: snapshot.id, frame: snapshot.frame };
    const viewer = { session: session.id, owner: session.ownerId };
    const isValid = async () => (await counted.sessions.get(session.id)) !== null;
    const wanted = { business, part: null, viewer, isValid };
    new BoardStream(connection.response, wanted, { boards, streams, time, logger }).open();
    await time.pass(0);
    return connection;
  }

  /** Changes the board: gives an entry priority, or removes it. */
  let isFirst = false;
  async function change(): Promise<void> {
    isFirst = !isFirst;
    const move = isFirst ? "priority" : "no-priority";
    await original.entries.move(business.id, entries.first ?? "", move, 0);
  }

  return {
    ...{ store: original, business, reads, errors, time, stop, boards, streams },
    ...{ signIn, open, change },
  };
}

async function seededBusiness(store: Store, slug: string) {
  const business = await store.businesses.find("slug", slug);
  if (!business) throw new Error(`the business ${slug} was not seeded`);
  return business;
}
