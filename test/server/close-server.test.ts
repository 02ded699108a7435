import { randomBytes } from "node:crypto";
import { openStore, readConfig, startServer } from "@queue-api/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { RawConnection, rawRequest } from "../support/raw.js";

const request = rawRequest("GET /readyz HTTP/1.1", ["Host: queue.example"]);

/** A server whose connections may bring a request for as long as a test takes. */
async function lingering() {
  const store = await openStore("memory:", { random: randomBytes });
  onTestFinished(() => store.close());
  const config = { ...readConfig({}), port: 0, shutdownSeconds: 3600 };
  const options = { store, config, random: randomBytes, lingerMs: 3_600_000 };
  const server = await startServer(options);
  onTestFinished(() => server.close());
  const open = async () => {
    const connection = await RawConnection.open({ url: server.url, conformance: null });
    onTestFinished(() => connection.cut());
    return connection;
  };
  return { server, open };
}

/** Asks whether the server is ready, which it is not while it stops. */
async function expectLastAnswer(connection: RawConnection): Promise<void> {
  const answer = await connection.answer("GET", "/readyz");
  expect([answer.status, answer.header("Connection")]).toEqual([503, "close"]);
  expect(await connection.ended()).toBe("");
}

test("connections that a proxy keeps may each bring one more request, and nobody can open another", async () => {
  const { server, open } = await lingering();
  const unused = await open();
  const kept = await open();
  kept.send(request);
  expect((await kept.answer("GET", "/readyz")).status).toBe(200);

  const closed = server.close();
  const another = () => open().then((connection) => connection.cut());
  await vi.waitFor(() => expect(another()).rejects.toMatchObject({ code: "ECONNREFUSED" }));
  for (const connection of [kept, unused]) {
    connection.send(request);
    await expectLastAnswer(connection);
  }
  await closed;
});

test("whoever has connected by then is answered, though nobody has accepted them yet", async () => {
  const { server, open } = await lingering();
  const opening = Array.from({ length: 20 }, open);
  await new Promise((resolve) => process.nextTick(resolve)); // now the system holds all of them for the server
  const closed = server.close();
  const connections = await Promise.all(opening);
  for (const connection of connections) {
    connection.send(request);
    const { status } = await connection.answer("GET", "/readyz");
    expect([200, 503]).toContain(status);
    connection.cut();
  }
  await closed;
});
