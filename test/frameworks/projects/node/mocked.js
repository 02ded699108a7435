import assert from "node:assert";
import { QueueApi } from "@queue-api/sdk";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

const server = setupServer(
  http.get("https://queue.example/v1/queues", () => HttpResponse.json({ data: [] })),
);
server.listen({ onUnhandledRequest: "error" });
const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "https://queue.example" });
assert.deepEqual(await api.queues.list(), []);
server.close();
console.log("works");
