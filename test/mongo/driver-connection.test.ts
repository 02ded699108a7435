import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { mongo } from "mongoose";
import { describe, expect, type OnTestFinishedHandler, onTestFinished, test } from "vitest";
import { DriverConnection } from "../../server/src/store/mongo/driver-connection.js";

/** What the driver calls of its connection. */
type Commanding = {
  command(ns: { db: string }, command: object, options: object): Promise<object>;
};

/** A connection to a server that takes it and never says anything. */
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
    // Before a handshake it is an OP_QUERY: a header, flags, the name of a collection, two numbers, the command.
    return mongo.BSON.deserialize(message.subarray(message.indexOf(0, 20) + 9));
  };
  return { socket, send, received, endPeers };
}

/** The driver that mongoose uses, and the version for which `DriverConnection` was verified. */
test("the driver is the one that the private class was verified with", () => {
  const mongoose = createRequire(createRequire(import.meta.url).resolve("mongoose"));
  // Before you change the version: compare lib/cmap/connection.js, and run npm run test:mongo-faults.
  expect(mongoose("mongodb/package.json").version).toBe("7.8.0");
});

describe("a command to the database", () => {
  test("is ended by the server before the client gives up on it", async ({ onTestFinished }) => {
    const options = { socketTimeoutMS: 5_000 };
    const { send, received } = await connected(onTestFinished, options);
    send({ find: "entries", filter: {} }).catch(() => {});
    expect(await received()).toMatchObject({ find: "entries", maxTimeMS: 4_500 });
  });

  test.each([
    ["the server accepts none for it", { getMore: 1, collection: "entries" }, 5_000],
    ["the client waits as long as it takes", { find: "entries", filter: {} }, 0],
  ])("has no limit if %s", async (_why, command, socketTimeoutMS) => {
    const { send, received } = await connected(onTestFinished, { socketTimeoutMS });
    send(command).catch(() => {});
    expect(await received()).not.toHaveProperty("maxTimeMS");
  });
});

describe("a connection to the database that closes", () => {
  test("fails a command that comes before anybody was told", async ({ onTestFinished }) => {
    const { socket, send } = await connected(onTestFinished);
    socket.destroy();
    await expect(send({ hello: 1 })).rejects.toThrow("writing to socket");
  });

  test("fails a command that comes as the server ends it, with an error that the driver retries", async ({
    onTestFinished,
  }) => {
    const { socket, send, endPeers } = await connected(onTestFinished);
    socket.resume();
    const sent = once(socket, "end").then(() => send({ hello: 1 }));
    endPeers();
    await expect(sent).rejects.toMatchObject({ name: "MongoNetworkError" });
  });

  test("fails a command that could not all be written yet", async ({ onTestFinished }) => {
    const { socket, send } = await connected(onTestFinished);
    const sent = send({ hello: "x".repeat(20_000_000) });
    setImmediate(() => socket.destroy());
    await expect(sent).rejects.toThrow("closed");
  });
});
