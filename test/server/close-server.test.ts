import { expect, onTestFinished, test } from "vitest";
import { RawConnection, rawRequest } from "../support/raw.js";
import { startedServer } from "../support/service.js";

const request = rawRequest("GET /readyz HTTP/1.1", ["Host: queue.example"]);

/** A server whose keep-alive connections stay open longer than a test. */
async function lingering() {
  const settings = { shutdownSeconds: 3600 };
  const { server } = await startedServer("memory:", { settings, lingerMs: 3_600_000 });
  const target = { url: server.url, conformance: null };
  const open = async () => {
    const connection = await RawConnection.open(target);
    onTestFinished(() => connection.cut());
    return connection;
  };
  return { server, target, open };
}

/** Requests the readiness, which a stopping server does not have. */
async function expectLastAnswer(connection: RawConnection): Promise<void> {
  const answer = await connection.answer("GET", "/readyz");
  expect([answer.status, answer.header("Connection")]).toEqual([503, "close"]);
  expect(await connection.ended()).toBe("");
}

test("each open connection can send one more request, and new connections are refused", async () => {
  const { server, target, open } = await lingering();
  const unused = await open();
  const kept = await open();
  kept.send(request);
  expect((await kept.answer("GET", "/readyz")).status).toBe(200);

  const closed = server.close();
  await expect.poll(() => RawConnection.refusal(target)).toBe("ECONNREFUSED");
  for (const connection of [kept, unused]) {
    connection.send(request);
    await expectLastAnswer(connection);
  }
  await closed;
});

test("connections in the accept queue get a response", async () => {
  const { server, open } = await lingering();
  const opening = Array.from({ length: 20 }, open);
  await new Promise((resolve) => process.nextTick(resolve)); // now all of them are in the accept queue of the system
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
