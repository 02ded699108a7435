import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { DriverConnection } from "../../server/src/store/mongo/driver-connection.js";

/** What the driver calls of its connection. */
type Commanding = {
  command(ns: { db: string }, command: object, options: object): Promise<object>;
};

/** A connection to a server that takes it and never says anything. */
async function connected(atEnd: (end: OnTestFinishedHandler) => void) {
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
  const connection: unknown = new DriverConnection(socket, { id: 1, generation: 0 });
  const send = (command: object) =>
    (connection as Commanding).command({ db: "admin" }, command, {});
  const endPeers = () => {
    for (const peer of peers) peer.end();
  };
  return { socket, send, endPeers };
}

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
