import assert from "node:assert";
import { QueueApi } from "@queue-api/sdk";
import nock from "nock";

nock.disableNetConnect();
nock("https://queue.example", { reqheaders: { authorization: "Bearer svc_live_x_y" } })
  .get("/v1/queues")
  .reply(200, { data: [] });
const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "https://queue.example" });
assert.deepEqual(await api.queues.list(), []);
console.log("works");
