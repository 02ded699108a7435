import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { mongo } from "mongoose";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { kinds } from "../../server/src/store/kept.js";
import { DriverConnection } from "../../server/src/store/mongo/driver-connection.js";

import { nameOf, startWatched } from "./support/watched.js";

/** The method of a connection that the driver calls. */
type Commanding = {
  command(ns: { db: string }, command: object, options: object): Promise<object>;
};

/** A connection to a server that accepts it and never responds. */
async function connected(
  atEnd: (end: OnTestFinishedHandler) => void,
  options: { readonly socketTimeoutMS?: number } = {},
) {
  const peers: Socket[] = [];
  const server = createServer((peer) => peers.push(peer.on("error", () => {})));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await Promise.all([once(socket, "connect"), once(server, "connection")]);
  atEnd(() => {
    socket.destroy();
    for (const peer of peers) peer.destroy();
    server.close();
  });
  const connection: unknown = new DriverConnection(socket, {
    ...{ id: 1, generation: 0 },
    ...options,
  });
  const send = (command: object) =>
    (connection as Commanding).command({ db: "admin" }, command, {});
  const endPeers = () => {
    for (const peer of peers) peer.end();
  };
  /** The next command that the server receives. */
  const received = async (): Promise<Record<string, unknown>> => {
    const [message] = (await once(peers[0] ?? server, "data")) as [Buffer];
    // Before a handshake a command is an OP_QUERY: a header, flags, the name of a collection, two numbers, the command.
    return mongo.BSON.deserialize(message.subarray(message.indexOf(0, 20) + 9));
  };
  return { socket, send, received, endPeers };
}

/** The driver that mongoose uses, and the version for which `DriverConnection` was verified. */
test("the driver has the version for which DriverConnection was verified", () => {
  const mongoose = createRequire(createRequire(import.meta.url).resolve("mongoose"));
  // Before you change the version: compare lib/cmap/connection.js, and run npm run test:mongo-faults.
  expect(mongoose("mongodb/package.json").version).toBe("7.8.0");
});

describe("a command to the database", () => {
  test("has a time limit on the server that ends before the timeout of the client", async ({
    onTestFinished,
  }) => {
    const options = { socketTimeoutMS: 5_000 };
    const { send, received } = await connected(onTestFinished, options);
    send({ find: "entries", filter: {} }).catch(() => {});
    expect(await received()).toMatchObject({ find: "entries", maxTimeMS: 4_500 });
  });

  test("has no time limit if the server accepts none for it", async ({ onTestFinished }) => {
    const { send, received } = await connected(onTestFinished, { socketTimeoutMS: 5_000 });
    send({ getMore: 1, collection: "entries" }).catch(() => {});
    expect(await received()).not.toHaveProperty("maxTimeMS");
  });

  test("has no time limit if the client has no timeout", async ({ onTestFinished }) => {
    const { send, received } = await connected(onTestFinished, { socketTimeoutMS: 0 });
    send({ find: "entries", filter: {} }).catch(() => {});
    expect(await received()).not.toHaveProperty("maxTimeMS");
  });

  test("keeps its own time limit", async ({ onTestFinished }) => {
    const { send, received } = await connected(onTestFinished, { socketTimeoutMS: 5_000 });
    send({ find: "entries", maxTimeMS: 0 }).catch(() => {});
    expect(await received()).toMatchObject({ maxTimeMS: 0 });
  });
});

describe("a dump", () => {
  test("of each collection but the audit log has no time limit", async ({ onTestFinished }) => {
    const { store, commands } = await startWatched(onTestFinished);
    for (const kind of kinds) {
      const { length } = commands;
      await store.copying.dump(kind, null);
      const unlimited = commands.slice(length).filter(({ maxTimeMS }) => maxTimeMS === 0);
      // The audit log is read in small steps, each within the limit.
      expect(unlimited.map(nameOf)).toEqual(kind === "audit" ? [] : [`find ${kind}`]);
    }
  });
});

describe("a connection to the database that is closed", () => {
  test("fails a command that is sent before the event of its end", async ({ onTestFinished }) => {
    const { socket, send } = await connected(onTestFinished);
    socket.destroy();
    await expect(send({ hello: 1 })).rejects.toThrow("writing to socket");
  });

  test("fails a command that is sent while the server ends it, with an error that the driver retries", async ({
    onTestFinished,
  }) => {
    const { socket, send, endPeers } = await connected(onTestFinished);
    socket.resume();
    const sent = once(socket, "end").then(() => send({ hello: 1 }));
    endPeers();
    await expect(sent).rejects.toMatchObject({ name: "MongoNetworkError" });
  });

  test("fails a command that waits for its answer, with an error that the driver retries", async ({
    onTestFinished,
  }) => {
    const { socket, send } = await connected(onTestFinished);
    const sent = send({ find: "entries" });
    setImmediate(() => socket.destroy());
    const error = await sent.catch((failed) => failed.cause ?? failed);
    expect(error).toBeInstanceOf(mongo.MongoNetworkError);
    expect(error.hasErrorLabel("RetryableWriteError")).toBe(true);
  });

  test("fails a command that is written only in part", async ({ onTestFinished }) => {
    const { socket, send } = await connected(onTestFinished);
    const sent = send({ hello: "x".repeat(20_000_000) });
    setImmediate(() => socket.destroy());
    await expect(sent).rejects.toThrow("closed");
  });
});
