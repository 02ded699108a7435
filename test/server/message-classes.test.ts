import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { openStore, readConfig } from "@queue-api/server";
import { expect, onTestFinished, test } from "vitest";
import { buildService } from "../../server/src/service.js";

/* Setting the prototype of a request makes V8 keep the request until the next full garbage collection. */
test("requests and responses have Express's prototypes from their creation", async () => {
  const store = await openStore("memory:", { random: randomBytes });
  const prototypesOf = (...messages: object[]) => messages.map((one) => Object.getPrototypeOf(one));
  let before: object[] = [];
  let after: object[] = [];
  const { server, endStop } = buildService(
    { store, config: readConfig({}) },
    {
      baseUrl: () => "http://queue.example",
      observe: (req, res, proceed) => {
        before = prototypesOf(req, res);
        proceed();
        after = prototypesOf(req, res);
        expect(res).toHaveProperty("locals"); // Express has processed it
      },
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await endStop();
    await store.close();
  });
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  expect(answer.status).toBe(200);
  expect(before).toHaveLength(2);
  for (const [n, prototype] of before.entries()) expect(after[n]).toBe(prototype);
});
