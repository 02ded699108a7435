import { fakes } from "@queue-api/testkit";

const entry = JSON.stringify(fakes.entryWithPosition({ token: "A1" }));

const body = `
const assert = require("node:assert");
const server = http.createServer((request, response) => {
  assert.equal(request.headers.authorization, "Bearer svc_live_x_y");
  response.setHeader("content-type", "application/json");
  if (request.method === "POST") assert.match(request.headers["idempotency-key"], /^[\\w-]{8,64}$/);
  response.end(JSON.stringify({ data: request.method === "POST" ? ${entry} : [] }));
});
server.listen(0, "127.0.0.1", async () => {
  const baseUrl = "http://127.0.0.1:" + server.address().port;
  const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl });
  assert.deepEqual(await api.queues.list(), []);
  await assert.rejects(api.entries.get("no/id"), InvalidRequestError);
  const person = { name: "Customer 1", phone: "+91 98000 00001" };
  const order = { idempotencyKey: { from: "order-1" } };
  const { token } = await api.entries.create("01K2Q7M8Xa1bC3dEf5GhJk7M", person, order);
  assert.equal(token, "A1");
  const { requestId } = await api.queues.list().withResponse();
  assert.equal(requestId, null);
  console.log("works");
  server.close();
  server.closeAllConnections();
});
`;

/** A program that loads the package with `require` and makes calls. */
export const required = `
const http = require("node:http");
const { QueueApi, InvalidRequestError } = require("@queue-api/sdk");
${body}`;

/** A program that loads the package with `import` and makes calls. */
export const imported = `
import http from "node:http";
import { createRequire } from "node:module";
import { InvalidRequestError, QueueApi } from "@queue-api/sdk";
const require = createRequire(import.meta.url);
${body}`;

/** A program that loads both builds, and prints whether each recognizes the other's errors. */
export const both = `
import { createRequire } from "node:module";
import * as one from "@queue-api/sdk";
const two = createRequire(import.meta.url)("@queue-api/sdk");
const options = { apiKey: "svc_live_x_y", baseUrl: "http://127.0.0.1:1" };
const error = await new one.QueueApi(options).me.get({ maxRetries: -1 }).catch((error) => error);
if (one.InvalidOptionError === two.InvalidOptionError) throw new Error("there is one copy only");
if (!(error instanceof two.InvalidOptionError)) throw new Error("not known by the other copy");
if (error instanceof two.NotFoundError) throw new Error("taken for something else");
console.log("works");`;

/** A program whose calls fail with each kind of network failure, and with a bug. */
export const failing = `
import { createServer } from "node:net";
import { ConnectionError, QueueApi } from "@queue-api/sdk";
const options = { apiKey: "svc_live_x_y", maxRetries: 1 };
const head = "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: 100\\r\\n\\r\\n";
const faults = [
  (socket) => socket.end(),
  (socket) => socket.end("SSH-2.0-OpenSSH_9.6\\r\\n\\r\\n"),
  (socket) => socket.write(head + '{"data":', () => socket.end()),
];
const failure = (baseUrl, more = {}) =>
  new QueueApi({ ...options, ...more, baseUrl }).queues.list().catch((error) => error);
for (const fault of faults) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => fault(socket));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const error = await failure("http://127.0.0.1:" + server.address().port);
  if (!(error instanceof ConnectionError) || error.attempts !== 2) throw error;
  server.close();
}
for (const baseUrl of ["http://127.0.0.1:1", "http://queue.invalid"]) {
  const error = await new QueueApi({ ...options, baseUrl }).entries
    .create("01K2Q7M8Xa1bC3dEf5GhJk7M", { name: "Customer 1", phone: "+91 98000 00001" })
    .catch((error) => error);
  if (!(error instanceof ConnectionError) || error.attempts !== 2) throw error;
  if (error.outcome !== "none") throw error;
}
let asked = 0;
const bug = await failure("http://127.0.0.1:1", { fetch: () => { asked += 1; return null.body; } });
if (!(bug instanceof TypeError) || asked !== 1) throw bug;
console.log("works");
process.exit(0);`;

export const proxied = `
import { QueueApi } from "@queue-api/sdk";
const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "http://queue.invalid", maxRetries: 0 });
if ((await api.queues.list()).length !== 0) throw new Error("another answer came");
console.log("works");`;

/** A program for a runtime with web globals and without Node. It stores whether its calls worked. */
export const inWorker = `
import { ConnectionError, QueueApi } from "@queue-api/sdk";
const options = { apiKey: "svc_live_x_y", baseUrl: "https://queue.example", maxRetries: 0 };
const fetch = async () => { throw new TypeError("fetch failed"); };
const away = new QueueApi({ ...options, fetch }).me.get().catch((error) => error);
globalThis.works = Promise.all([new QueueApi(options).queues.list(), away]).then(
  ([queues, error]) => queues.length === 0 && error instanceof ConnectionError);`;

/** A program in TypeScript that uses every type, and compiles only if what is iterated or awaited has one. */
export const typed = `
import { ApiError, type Entry, type EntryChange, type EntryStatus, type Page, QueueApi, type QueueApiOptions } from "@queue-api/sdk";
type IsAny<Value> = 0 extends 1 & Value ? true : false;
function known<Value>(_value: Value, _isAny: IsAny<Value>): void {}
const options: QueueApiOptions = { apiKey: async () => "svc_live_x_y", baseUrl: "https://queue.example", fetch, fetchOptions: { next: { revalidate: 60 } } };
const api = new QueueApi(options);
const id = "01K2Q7M8Zb4nT6wXc9RvYd3F";
interface Filter { status?: string; limit: number }
const filter: Filter = { limit: 20 };
export async function visit(signal: AbortSignal): Promise<string> {
  const { business, limits } = await api.me.get({ signal });
  const zone: string | null = business.timezone;
  const perMinute: number = limits.requestsPerMinute;
  const entry = await api.entries.create(id, { name: "Customer 1", phone: "+91 98000 00001" }, { idempotencyKey: "kiosk-0042" });
  const position: number | null = entry.position;
  const status: EntryStatus = entry.status;
  if (status === "WAITING" || status === "A_WORD_OF_TOMORROW") await api.entries.cancel(entry.id);
  for await (const waiting of api.entries.list(id, { status: "WAITING", limit: 10 })) {
    const one: Entry = waiting;
    known(waiting, false);
    if (one.customer.name === null) break;
  }
  for await (const page of api.appointments.list().pages()) {
    const one: Page<{ readonly slotTime: string }> = page;
    known(page, false);
    known(page.items[0], false);
    if (one.nextCursor === null) break;
  }
  for await (const change of api.entries.watch(id, {}, { signal })) {
    const one: EntryChange = change;
    known(change, false);
    if (one.type === "changed") return one.previous.token;
  }
  const first = await api.entries.list(id);
  known(first, false);
  known(first.items[0], false);
  for await (const entry of await first.nextPage()) known(entry, false);
  known(await api.entries.list(id).all(), false);
  known(await api.request<{ data: string[] }>("GET", "/v1/queues"), false);
  known(await api.request("GET", "/v1/queues"), false);
  await api.request("GET", "/v1/queues", { query: filter });
  // @ts-expect-error: a parameter that is an object
  await api.request("GET", "/v1/queues", { query: { status: { not: "WAITING" } } });
  // @ts-expect-error: its values are no fields
  await api.request("GET", "/v1/queues", { query: new URLSearchParams() });
  const { data, response, requestId } = await api.queues.list().withResponse();
  known(data, false);
  const answer: Response = response;
  // @ts-expect-error: entries of a list have no position
  for await (const entry of api.entries.list(id)) console.log(entry.position);
  // @ts-expect-error: the name is required
  await api.entries.create(id, { phone: "+91 98000 00001" });
  return [zone, perMinute, position, data.length, answer.status, requestId].join();
}
export function explain(error: unknown): string {
  return error instanceof ApiError ? (error.code ?? "none") + error.details.map(({ field }) => field) : "";
}
`;

export const traced = `
import { QueueApi } from "@queue-api/sdk";
import { tracing } from "@queue-api/sdk/opentelemetry";
export const api = new QueueApi({ hooks: tracing() });
`;

/** A program in TypeScript that gives a client the fetch of undici, and its own. */
export const fetched = `
import { QueueApi } from "@queue-api/sdk";
import { fetch as fetchOfUndici } from "undici";
const part = { status: 200, headers: { get: () => null }, text: async () => "" };
export const apis = [
  new QueueApi({ fetch: fetchOfUndici }),
  new QueueApi({ fetch }),
  new QueueApi({ fetch: async () => new Response("down", { status: 503 }) }),
  // @ts-expect-error: no Response
  new QueueApi({ fetch: async () => part }),
  // @ts-expect-error: no Response, whose headers have has
  new QueueApi({ fetch: async () => ({ ...new Response(), headers: { get: () => null } }) }),
];
`;
