import assert from "node:assert/strict";
import { QueueApi } from "@queue-api/sdk";
import fastify from "fastify";
import Koa from "koa";

const baseUrl = process.env.FAKE_SERVICE;
const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl, maxRetries: 0 });
const refused = api.withOptions({ fetch: async () => new Response("blocked", { status: 403 }) });
const unreachable = api.withOptions({ baseUrl: "http://127.0.0.1:1" });
const calls = {
  "/": () => api.queues.list(),
  "/refused": () => refused.queues.list(),
  "/unreachable": () => unreachable.queues.list(),
  "/wrong": () => api.entries.get("no/id"),
  "/late": () => api.queues.list({ signal: AbortSignal.abort() }),
};

const inFastify = fastify();
for (const [path, call] of Object.entries(calls)) inFastify.get(path, call);

const inKoa = new Koa();
inKoa.silent = true;
inKoa.use(async (context) => {
  context.body = await calls[context.path]();
});
const server = inKoa.listen(0, "127.0.0.1");

for (const [path, status] of [
  ["/", 200],
  ["/refused", 403],
  ["/unreachable", 500],
  ["/wrong", 500],
  ["/late", 500],
]) {
  assert.equal((await inFastify.inject(path)).statusCode, status, `Fastify ${path}`);
  const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`);
  assert.equal(response.status, status, `Koa ${path}`);
}
server.close();
console.log("works");
