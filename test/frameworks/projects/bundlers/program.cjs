const { ConnectionError, QueueApi } = require("@queue-api/sdk");

async function main() {
  const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: process.env.FAKE_SERVICE });
  const [queue] = await api.queues.list();
  const away = new QueueApi({
    apiKey: "svc_live_x_y",
    baseUrl: "http://127.0.0.1:1",
    maxRetries: 0,
  });
  const error = await away.queues.list().catch((error) => error);
  console.log(queue.name === "Front desk" && error instanceof ConnectionError ? "works" : error);
}

main();
