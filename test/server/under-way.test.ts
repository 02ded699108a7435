import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { UnderWay } from "../../server/src/http/under-way.js";

/** A server with its requests counted as under way. */
async function countedServer(answer: boolean) {
  const underWay = new UnderWay();
  const arrived: ((res: ServerResponse) => void)[] = [];
  const server = createServer((_req, res) => {
    underWay.begin(res);
    if (answer) res.end("done");
    arrived.shift()?.(res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = () => get({ port, host: "127.0.0.1", agent: false });
  const arrival = () => new Promise<ServerResponse>((resolve) => arrived.push(resolve));
  return { underWay, ask, arrival };
}

test("an answer ends its request", async () => {
  const { underWay, ask } = await countedServer(true);
  await new Promise<void>((resolve, reject) => {
    ask()
      .on("error", reject)
      .on("response", (response) => response.resume().on("end", resolve));
  });
  await underWay.none(60_000); // would run into the test's own time limit
});

test("a request whose connection is gone is under way until it is answered", async () => {
  const { underWay, ask, arrival } = await countedServer(false);
  const arrived = arrival();
  const request = ask().on("error", () => undefined);
  const response = await arrived;
  const closed = new Promise((resolve) => response.once("close", resolve));
  request.destroy();
  await closed;
  let ended = false;
  const none = underWay.none(60_000).then(() => {
    ended = true;
  });
  await Promise.resolve();
  expect(ended).toBe(false);
  response.end();
  await none;
});
