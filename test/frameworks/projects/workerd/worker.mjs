import { QueueApi } from "@queue-api/sdk";

export default {
  async fetch(_request, env) {
    const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: env.FAKE_SERVICE });
    const { counts } = await api.queues.get("0VbbLfA4rMAChoYRZ8PWjbVu");
    return Response.json(counts);
  },
};
