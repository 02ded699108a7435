// Global dispatchers of undici: a DNS resolver, an interceptor, a mock.
import assert from "node:assert";
import { QueueApi } from "@queue-api/sdk";
import { Agent, MockAgent, setGlobalDispatcher } from "undici";

const { port } = new URL(process.env.FAKE_SERVICE);
const api = new QueueApi({
  apiKey: "svc_live_x_y",
  baseUrl: `http://queue.internal:${port}`,
  maxRetries: 0,
});

const lookup = (_name, _options, found) => found(null, [{ address: "127.0.0.1", family: 4 }]);
setGlobalDispatcher(new Agent({ connect: { lookup } }));
assert.equal((await api.queues.list())[0].name, "Front desk");

const seen = [];
const interceptor = (dispatch) => (options, handler) => {
  seen.push(options.path);
  return dispatch(options, handler);
};
setGlobalDispatcher(new Agent({ connect: { lookup } }).compose(interceptor));
await api.queues.list();
assert.deepEqual(seen, ["/v1/queues"]);

class OwnMockAgent extends MockAgent {}
const agent = new OwnMockAgent();
agent.disableNetConnect();
agent
  .get(`http://queue.internal:${port}`)
  .intercept({ path: "/v1/queues" })
  .reply(200, { data: [] }, { headers: { "content-type": "application/json" } });
setGlobalDispatcher(agent);
assert.deepEqual(await api.queues.list(), []);
console.log("works");
process.exit(0);
