import { QueueApi } from "@queue-api/sdk";

const queueId = "0VbbLfA4rMAChoYRZ8PWjbVu";

const api = () => new QueueApi({ apiKey: "svc_live_x_y", baseUrl: process.env.FAKE_SERVICE });

export async function waiting() {
  return (await api().queues.get(queueId)).counts.waiting;
}

export async function firstCustomer() {
  for await (const entry of api().entries.list(queueId)) return entry.customer.name;
}
