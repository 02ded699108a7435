import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { OpenStreams } from "../../server/src/dashboard/board/open-streams.js";
import { gate } from "../support/gate.js";
import { Connection } from "./support/connection.js";
import { textOf } from "./support/html.js";
import { liveBoard } from "./support/live-board.js";

const second = 1_000;
const hour = 3_600 * second;

const countOf = (all: readonly string[], one: string) => all.filter((it) => it === one).length;

/** A stream that opens while the board's version is read, and a function that lets it be read. */
async function openingStream() {
  const readings = gate();
  const board = await liveBoard({
    interpose: (store) => ({
      boards: {
        version: async (...request) => {
          await readings.pass();
          return store.boards.version(...request);
        },
      },
    }),
  });
  const session = await board.signIn();
  const connection = new Connection();
  readings.close();
  const opened = board.open(session, connection);
  await readings.reached(1);
  const release = async () => {
    readings.open();
    await opened;
  };
  return { ...board, session, connection, release };
}

describe("the stream of a board", () => {
  test("sends a change within half a second, and a heartbeat every two seconds", async () => {
    const { time, signIn, open, change } = await liveBoard();
    const { events } = await open(await signIn());
    expect(events).toEqual(["live"]);
    await change();
    await time.pass(0.5 * second);
    expect(events).toEqual(["live", "patch"]);
    await time.pass(4 * second);
    expect(events).toEqual(["live", "patch", "beat", "beat"]);
  });

  test("queues nothing for a stalled client, and later sends the changes to the newest board", async () => {
    const { time, signIn, open, change } = await liveBoard();
    const slow = await open(await signIn());
    slow.stall();
    for (let n = 0; n < 4; n++) {
      await change();
      await time.pass(0.5 * second);
    }
    expect(slow.events).toEqual(["live", "patch"]);
    slow.drain();
    expect(slow.events).toEqual(["live", "patch", "patch"]);
    const line = textOf(slow.sent[2] ?? "");
    expect(line).toContain("A5 Person first"); // no longer has priority
    expect(line).not.toContain("Laboratory"); // never changed
  });

  test("ends when the client reads nothing for half a minute", async () => {
    const { time, signIn, open, change } = await liveBoard();
    const dead = await open(await signIn());
    dead.stall();
    await change();
    await time.pass(29 * second);
    expect(dead.closed).toBe(false);
    await time.pass(3 * second);
    expect(dead.closed).toBe(true);
    await time.pass(second);
    expect(time.waiting).toBe(0);
  });

  test("loses no change when the board changes while the stream opens", async () => {
    const { connection, release, change, time, errors } = await openingStream();
    await change();
    await release();
    await time.pass(0.5 * second);
    expect(connection.events).toEqual(["patch", "live"]);
    expect(errors).toEqual([]);
  });
});

describe("the store", () => {
  test("is read once per board, for any number of streams", async () => {
    const { time, signIn, open, reads, change } = await liveBoard();
    const [session, other] = [await signIn(), await signIn()];
    const all = [];
    for (let n = 0; n < 10; n++) all.push(await open(n < 7 ? session : other));
    reads.length = 0;
    await time.pass(10 * second);
    expect(countOf(reads, "version")).toBe(20);
    expect(countOf(reads, "board")).toBe(0);
    await change();
    await time.pass(0.5 * second);
    expect(countOf(reads, "board")).toBe(1);
    for (const { events } of all) expect(events.at(-1)).toBe("patch");
  });

  test("is not read without streams", async () => {
    const { time, signIn, open, reads } = await liveBoard();
    const session = await signIn();
    const all = [await open(session), await open(session)];
    for (const connection of all) connection.destroy();
    await time.pass(second);
    reads.length = 0;
    await time.pass(hour);
    expect(reads).toEqual([]);
    expect(time.waiting).toBe(0);
  });

  test.each(["boards", "sessions"] as const)(
    "that fails at %s ends the streams, and the next stream is live again",
    async (step) => {
      let isAway = false;
      const { time, signIn, open, errors, change } = await liveBoard({
        interpose: ({ boards, sessions }) => {
          const unlessAway = <Result>(step: () => Promise<Result>): Promise<Result> =>
            isAway ? Promise.reject(new Error("the database is away")) : step();
          return step === "boards"
            ? { boards: { version: (...given) => unlessAway(() => boards.version(...given)) } }
            : { sessions: { get: (token) => unlessAway(() => sessions.get(token)) } };
        },
      });
      const session = await signIn();
      const lost = await open(session);
      isAway = true;
      await time.pass(2 * second);
      expect(lost.writableEnded).toBe(true);
      expect(errors).toMatchObject([{ err: { message: "the database is away" } }]);
      expect(time.waiting).toBe(0);
      isAway = false;
      const { events } = await open(session);
      await change();
      await time.pass(2 * second);
      expect(events).toEqual(["live", "patch", "beat"]);
    },
  );
});

describe("a session that ends", () => {
  test("in this process ends its own streams at once, and no others", async () => {
    const { streams, signIn, open, change, time } = await liveBoard();
    const [ended, runs] = [await signIn(), await signIn()];
    const gone = [await open(ended), await open(ended)];
    const stays = await open(runs);
    await change();
    streams.ended("session", ended.id);
    await time.pass(2 * second);
    for (const { events, writableEnded } of gone) {
      expect(events).toEqual(["live", "reload"]);
      expect(writableEnded).toBe(true);
    }
    expect(stays.events).toEqual(["live", "patch", "beat"]);
  });

  test("with all sessions of its owner ends the streams of each", async () => {
    const { streams, signIn, open } = await liveBoard();
    const [session, other] = [await signIn(), await signIn()];
    const gone = [await open(session), await open({ ...session, id: "in another browser" })];
    const stays = await open(other);
    streams.ended("owner", session.ownerId);
    for (const { events } of gone) expect(events).toEqual(["live", "reload"]);
    expect(stays.events).toEqual(["live"]);
  });

  test("in another process ends its streams within two seconds", async () => {
    const { store, signIn, open, time } = await liveBoard();
    const session = await signIn();
    const { events } = await open(session);
    await store.sessions.end(session.id);
    await time.pass(2 * second);
    expect(events).toEqual(["live", "reload"]);
    expect(time.waiting).toBeLessThanOrEqual(1); // the last pause of the board
  });

  test("while a stream opens makes it send nothing", async () => {
    const { session, connection, release, streams } = await openingStream();
    streams.ended("session", session.id);
    await release();
    expect(connection.events).toEqual(["reload"]);
  });
});

describe("too many streams", () => {
  const limits = { ofSession: 3, ofBusiness: 9, ofAll: 5 };

  test("of one session end its oldest, which reconnects only when its page is visible", async () => {
    const { signIn, open } = await liveBoard({ limits });
    const session = await signIn();
    const all = [];
    for (let n = 0; n < 4; n++) all.push(await open(session));
    const [oldest, ...others] = all;
    expect(oldest?.events).toEqual(["live", "rest"]);
    expect(oldest?.writableEnded).toBe(true);
    for (const { events } of others) expect(events).toEqual(["live"]);
  });

  test("of all sessions are refused for some seconds until one ends", async () => {
    const { signIn, open, errors } = await liveBoard({ limits });
    const [full, some, none] = [await signIn(), await signIn(), await signIn()];
    for (let n = 0; n < 3; n++) await open(full);
    const [leaves] = [await open(some), await open(some)];
    await expect(open(none)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 });
    expect((await open(full)).events).toEqual(["live"]); // replaces its own oldest stream
    leaves.destroy();
    expect((await open(none)).events).toEqual(["live"]);
    expect(errors).toEqual([]);
  });

  test("of one business are refused, and leave room for other businesses", () => {
    const stopping = new AbortController().signal;
    const streams = new OpenStreams(stopping);
    const open = (business: string, session: string) =>
      streams.add({ business, session }, { end: () => undefined });
    const [leave] = Array.from({ length: 200 }, (_, n) => open("one", `${n % 100}`));
    expect(() => open("one", "another")).toThrow("Not live for now");
    open("two", "another");
    leave?.();
    open("one", "another");
  });
});

describe("a stop", () => {
  test("ends all streams with one listener, and refuses new ones", async () => {
    const { signIn, open, stop, time } = await liveBoard();
    const session = await signIn();
    const all = [];
    for (let n = 0; n < 12; n++) all.push(await open(session));
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort();
    for (const { events, writableEnded } of all) {
      expect(events).toEqual(["live"]);
      expect(writableEnded).toBe(true);
    }
    await expect(open(session)).rejects.toMatchObject({ status: 503 });
    await time.pass(second);
    expect(time.waiting).toBe(0);
  });
});
